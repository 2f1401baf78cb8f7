// The path of a walk's current position, in bounded memory.

package import MAMModel
internal import MAMSystem

/// A path relative to the root, joined on demand.
///
/// Keeps only names at both ends. A path within PATH_MAX is complete; of a longer one, which no
/// program could use in one call, the middle is omitted, so that a deep tree does not cost memory
/// for each of its levels.
package final class WalkPath {
    private var head: [ByteString]
    private var headCount: Int
    private var tail: [ByteString] = []
    private var tailCount = 0
    /// The number of omitted names.
    private var omitted = 0

    /// Bytes kept at each end; together at least PATH_MAX, even if a name does not fit the first.
    private static let limit = 2304
    private static let omission = ByteString("…")

    /// `top`: where the walk starts; always kept.
    package init(_ top: ByteString) {
        head = top.bytes.isEmpty ? [] : [top]
        headCount = top.bytes.count
    }

    package func push(_ name: ByteString) {
        let count = name.bytes.count + 1
        if tail.isEmpty, omitted == 0, headCount + count <= Self.limit {
            head.append(name)
            headCount += count
            return
        }
        tail.append(name)
        tailCount += count
        while tailCount > Self.limit {
            tailCount -= tail.removeFirst().bytes.count + 1
            omitted += 1
        }
    }

    package func pop() {
        if let last = tail.popLast() {
            tailCount -= last.bytes.count + 1
        } else if omitted > 0 {
            omitted -= 1
        } else if let last = head.popLast() {
            headCount -= last.bytes.count + 1
        }
    }

    /// The path of the current directory or, with a name, of an entry in it.
    package func joined(_ name: ByteString? = nil) -> ByteString {
        var names = head
        if omitted > 0 { names.append(Self.omission) }
        names += tail
        if let name { names.append(name) }
        return ByteString(Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
    }
}
