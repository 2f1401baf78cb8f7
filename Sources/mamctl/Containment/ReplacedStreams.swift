// Standard streams that a command gets in place of ours.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// Runs `body` while these streams are others, for a process that it forks. Afterwards they are as
/// before: messages of this process reach whom they are for.
func withStreams<Result: ~Copyable>(
    _ replaced: [Int32: Descriptor], _ body: () throws -> Result
) throws -> Result {
    let kept = try replaced.keys.map { number in (number, try duplicate(number)) }
    defer { for (number, stream) in kept { dup2(stream.raw, number) } }
    for (number, other) in replaced { _ = try retrying { dup2(other.raw, number) } }
    return try body()
}
