// Why one protected file could not be read or written.

package import MAMFormat
package import MAMModel
internal import MAMSystem

/// The store's errors. All are external faults; the callers handle each differently.
package enum StoreError: Error, Sendable, Equatable {
    /// A system call on the backing file failed.
    case system(Errno)
    /// A block does not verify; its index.
    case damaged(block: Int64)
    /// A block verifies, but its end mark contradicts the file's size.
    case wrongEnd(block: Int64)
    /// No protected file has this `st_size`.
    case impossibleSize(Int64)
    case header(HeaderError)
    /// The file was sealed when last looked at, and is plain now.
    case unsealed
    /// The file key is unavailable: its window is closed.
    case keyUnavailable
    /// OpenSSL failed, which only lack of memory explains.
    case cipherFailure
}

extension StoreError: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .system(let error): "\(error)"
        case .damaged(let block): "block \(block) is damaged: it does not verify"
        case .wrongEnd(let block): "it was cut off or a write was interrupted, at block \(block)"
        case .impossibleSize(let size): "its size of \(size) bytes is that of no protected file"
        case .header(let error): "\(error)"
        case .unsealed: "it was sealed, and somebody else has put a plain file in its place"
        case .keyUnavailable: "its access window is closed"
        case .cipherFailure: "the cipher failed; is memory exhausted?"
        }
    }

    /// True if the stored bytes are at fault.
    package var isDamage: Bool {
        switch self {
        case .damaged, .wrongEnd, .impossibleSize, .unsealed: true
        case .header(let error):
            if case .newerVersion = error { false } else { true }
        case .system, .keyUnavailable, .cipherFailure: false
        }
    }
}

/// Turns a system call's error into a StoreError.
@inline(__always)
func system<Value>(_ call: () throws(Errno) -> Value) throws(StoreError) -> Value {
    do throws(Errno) { return try call() } catch { throw .system(error) }
}
