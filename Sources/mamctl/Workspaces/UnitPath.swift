// Paths in the file `mount`, which units read by line; systemd takes quotes and backslashes away.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Refuses what is shown in another way than it is written, and what a unit would not have as it
/// is.
func requireUnitPath(_ path: ByteString) throws(Failure) {
    let unusable = Array("\"'\\$".utf8)
    guard !path.bytes.contains(where: unusable.contains), Array(path.shown.utf8) == path.bytes,
        path.bytes.last != UInt8(ascii: " ")
    else {
        throw Failure(
            .usage,
            "\(path.shown): a unit cannot have quotes, backslashes, $ or control characters in a"
                + " path, nor a blank at its end",
            next: "use another path, or mamctl init and mamctl mount")
    }
}
