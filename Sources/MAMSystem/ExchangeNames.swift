// renameat2(2) that swaps two names.

internal import CShims
internal import Glibc
package import MAMModel

/// Gives each of two names the other's file; false where the file system cannot.
package func exchangeNames(
    at one: Int32, _ oneName: UnsafePointer<CChar>, and other: Int32,
    _ otherName: UnsafePointer<CChar>
) throws(Errno) -> Bool {
    let exchange: UInt32 = 2  // RENAME_EXCHANGE
    do throws(Errno) {
        _ = try retrying { mam_renameat2(one, oneName, other, otherName, exchange) }
        return true
    } catch {
        guard [.invalid, .notImplemented, .notSupported].contains(error) else { throw error }
        return false
    }
}
