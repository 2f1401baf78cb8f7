// Literals for system calls: a String would be copied into an array for each.

internal import MAMModel

extension StaticString {
    /// Its bytes, terminated by a zero.
    package var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Its bytes alone.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
