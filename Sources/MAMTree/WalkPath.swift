// The names that lead to where a walk is, in bounded memory.

package import MAMSystem

/// A path below the root, without a slash before it. It is joined only when somebody asks for it.
///
/// Names are kept at both ends alone. A path that fits PATH_MAX is whole; of a longer one, which no
/// program could name in one call, the middle is left out: a deep tree must not cost its depth for
/// each of its levels.
package final class WalkPath {
    private var head: [ByteString]
    private var headCount: Int
    private var tail: [ByteString] = []
    private var tailCount = 0
    /// How many names between the two were given up.
    private var omitted = 0

    /// Bytes at each end: both make PATH_MAX, though a name may not fit the first.
    private static let limit = 2304
    private static let omission = ByteString("…")

    /// `top`: where the walk begins; it stays.
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

    /// Of the directory itself; or, with a name, of what stands in it.
    package func joined(_ name: ByteString? = nil) -> ByteString {
        var names = head
        if omitted > 0 { names.append(Self.omission) }
        names += tail
        if let name { names.append(name) }
        return ByteString(Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
    }
}
