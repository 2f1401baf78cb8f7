// Random bytes for what one request needs in several places, drawn in one system call.

internal import Glibc

extension SecureRandom {
    /// Draws so many bytes, at most 128; what ``fill(_:)`` is asked for on this thread while `body` runs comes from them, as long
    /// as they last. None is given twice, and none is left when this returns: so a copy of the machine cannot repeat them later.
    package static func drawingAtOnce<Value, Failure: Error>(
        _ byteCount: Int, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var supply = RandomSupply()
        return try withUnsafeMutablePointer(to: &supply) { supply throws(Failure) in
            let outer = RandomSupply.ofThread
            defer {
                RandomSupply.ofThread = outer
                // A key may have been among them.
                explicit_bzero(supply, MemoryLayout<RandomSupply>.size)
            }
            supply.pointee.draw(byteCount)
            RandomSupply.ofThread = supply
            return try body()
        }
    }
}

/// Bytes on the stack of the one thread that uses them.
struct RandomSupply {
    private var bytes: InlineArray<128, UInt8> = .init(repeating: 0)
    private var left = 0

    fileprivate mutating func draw(_ count: Int) {
        var span = bytes.mutableSpan
        span.withUnsafeMutableBytes { SecureRandom.draw(.init(rebasing: $0[..<count])) }
        left = count
    }

    /// False, with nothing taken, where less is left.
    static func take(_ wanted: UnsafeMutableRawBufferPointer) -> Bool {
        guard let supply = ofThread, supply.pointee.left >= wanted.count else { return false }
        supply.pointee.give(wanted)
        return true
    }

    /// From the end, and zeroed where they stood.
    private mutating func give(_ wanted: UnsafeMutableRawBufferPointer) {
        let range = left - wanted.count..<left
        left = range.lowerBound
        var span = bytes.mutableSpan
        span.withUnsafeMutableBytes { bytes in
            let given = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            wanted.copyMemory(from: .init(given))
            if let start = given.baseAddress { explicit_bzero(start, given.count) }
        }
    }

    fileprivate static var ofThread: UnsafeMutablePointer<RandomSupply>? {
        get { pthread_getspecific(key)?.assumingMemoryBound(to: RandomSupply.self) }
        set {
            let status = pthread_setspecific(key, newValue)
            precondition(status == 0)
        }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0)
        return key
    }()
}
