// The settings that `init` copies.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMWire

/// The bytes of a settings file that the daemon will accept; without a file, all defaults.
func readSettings(_ path: ByteString?) throws -> [UInt8] {
    guard let path else { return Array("{}".utf8) }
    let bytes = try readFile(path, atMost: 1 << 20)
    do throws(PolicyError) {
        for warning in try Settings.decode(bytes).warnings {
            printError("mamctl: \(path.shown): \(warning)")
        }
    } catch {
        throw Failure(
            .usage, "\(path.shown): \(error)", next: "correct it; mamctl configure FILE checks it")
    }
    return bytes
}
