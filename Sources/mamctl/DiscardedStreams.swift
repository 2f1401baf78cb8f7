// Standard streams that a command does not get.

internal import Glibc
internal import MAMSystem

/// Runs `body` while these streams are /dev/null, for a process that it forks. Afterwards they are
/// as before: messages of this process reach whom they are for.
func withoutStreams<Result: ~Copyable>(
    _ numbers: [Int32], _ body: () throws -> Result
) throws -> Result {
    let null = try openFile("/dev/null", O_RDWR)
    let kept = try numbers.map { number in (number, try duplicate(number)) }
    defer { for (number, stream) in kept { dup2(stream.raw, number) } }
    for number in numbers { _ = try retrying { dup2(null.raw, number) } }
    return try body()
}
