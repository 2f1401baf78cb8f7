// What says of a sealed file that it is one, though its header may be gone: an attribute of the
// backing file (docs/FORMAT.md, section 9).

internal import MAMSystem

package enum SealedNote {
    package static let name = "user.mam.sealed"

    /// Where there are no attributes nothing is said. The mode has to let us write.
    static func set(on file: Descriptor) throws(Errno) {
        let value: InlineArray<1, UInt8> = [UInt8(ascii: "1")]
        do throws(Errno) {
            try value.span.withUnsafeBytes { value throws(Errno) in
                try setExtendedAttribute(of: file.raw, name, to: value)
            }
        } catch {
            guard error == .notSupported || error == .ioError && hasNone(file) else { throw error }
        }
    }

    /// rclone's mounts have no attributes, and answer each question of them with `EIO`.
    private static func hasNone(_ file: Descriptor) -> Bool {
        let nowhere = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        do throws(Errno) {
            _ = try extendedAttribute(of: file.raw, name, into: nowhere)
            return false
        } catch { return error == .ioError }
    }

    static func remove(from file: Descriptor) {
        do throws(Errno) { try removeExtendedAttribute(of: file.raw, name) } catch {}
    }

    /// Whatever its value: who can write it could remove it.
    static func isOn(_ file: Descriptor) -> Bool {
        let nowhere = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        do throws(Errno) {
            _ = try extendedAttribute(of: file.raw, name, into: nowhere)
            return true
        } catch { return false }
    }
}
