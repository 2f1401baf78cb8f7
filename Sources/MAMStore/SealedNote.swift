// What says of a sealed file that it is one, though its header may be gone: an attribute of the
// backing file (docs/FORMAT.md, section 9).

internal import MAMSystem

package enum SealedNote {
    package static let name = "user.mam.sealed"

    /// Where there are no attributes nothing is said.
    static func set(on file: Descriptor) {
        withUnsafeBytes(of: UInt8(ascii: "1")) { value in
            do throws(Errno) { try setExtendedAttribute(of: file.raw, name, to: value) } catch {}
        }
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
