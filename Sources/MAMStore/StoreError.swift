// Why one protected file could not be read or written.

package import MAMFormat
package import MAMSystem

/// The store's errors: the world's faults, each with a different answer at the edges.
package enum StoreError: Error, Sendable, Equatable {
    /// A system call on the backing file failed.
    case system(Errno)
    /// A block does not verify; its index.
    case damaged(block: Int64)
    /// A block verifies, but is not (or is) the last one as the file's size has it.
    case wrongEnd(block: Int64)
    /// `st_size` is that of no protected file.
    case impossibleSize(Int64)
    case header(HeaderError)
    /// It was sealed when it was last looked at, and is plain now.
    case unsealed
    /// The file key is not here: its window is closed.
    case keyUnavailable
    /// OpenSSL refused, which only a lack of memory explains.
    case cipherFailure
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .damaged(let block): "block \(block) is damaged: it does not verify"
        case .wrongEnd(let block): "it was cut off or a write was interrupted, at block \(block)"
        case .impossibleSize(let size): "its size of \(size) bytes is that of no protected file"
        case .header(let error): error.description
        case .unsealed: "it was sealed, and somebody else has put a plain file in its place"
        case .keyUnavailable: "its access window is closed"
        case .cipherFailure: "the cipher failed; is memory exhausted?"
        }
    }

    /// True when the bytes on disk are at fault.
    package var isDamage: Bool {
        switch self {
        case .damaged, .wrongEnd, .impossibleSize, .unsealed: true
        case .header(let error):
            if case .newerVersion = error { false } else { true }
        case .system, .keyUnavailable, .cipherFailure: false
        }
    }
}

/// Runs a system call whose failure is the store's.
@inline(__always)
func system<Value>(_ call: () throws(Errno) -> Value) throws(StoreError) -> Value {
    do throws(Errno) { return try call() } catch { throw .system(error) }
}
