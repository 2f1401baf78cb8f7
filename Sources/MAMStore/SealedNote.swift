// An extended attribute of the backing file that marks it as sealed, even if its header is lost
// (docs/FORMAT.md, section 9).

internal import MAMModel
package import MAMSystem

package enum SealedNote {
    package static let name: StaticString = "user.mam.sealed"

    /// Does nothing where extended attributes are unsupported. The mode has to let us write.
    static func set(on file: Descriptor) throws(Errno) {
        let value: InlineArray<1, UInt8> = [UInt8(ascii: "1")]
        do throws(Errno) {
            try value.span.withUnsafeBytes { value throws(Errno) in
                try setExtendedAttribute(of: file.raw, name.cString, to: value)
            }
        } catch {
            if error == .notSupported { return }
            if error == .ioError, lookUp(on: file) == .ioError { return }
            throw error
        }
    }

    static func remove(from file: Descriptor) {
        do throws(Errno) { try removeExtendedAttribute(of: file.raw, name.cString) } catch {}
    }

    /// Ignores the value: a program that can change it could remove the attribute.
    package static func isOn(_ file: Descriptor) -> Bool { lookUp(on: file) == nil }

    /// Nil if the attribute is present, else why it cannot be read. rclone's mounts support none,
    /// and answer every request with `EIO`.
    private static func lookUp(on file: Descriptor) -> Errno? {
        let nowhere = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        do throws(Errno) {
            _ = try extendedAttribute(of: file.raw, name.cString, into: nowhere)
            return nil
        } catch { return error }
    }
}
