// Directories of a test, gone with it.

package import Glibc
internal import MAMCrypto
package import MAMModel
internal import MAMSystem
internal import TestSupport

/// A backing directory with what belongs to it, and a state directory. They outlive the workspaces
/// that are made of them one after the other, as a daemon's do.
package final class TestDirectories: Sendable {
    private let place: TemporaryDirectory
    package var top: String { place.path }
    package var backing: String { "\(top)/backing" }
    package var work: String { "\(backing)/.mamd/work" }
    package var state: String { "\(top)/state" }

    package init() throws {
        startCrypto()
        place = try TemporaryDirectory()
        for directory in [state, backing, "\(backing)/.mamd", work] {
            guard mkdir(directory, 0o700) == 0 else { throw Errno.current }
        }
    }

    /// The absolute path of what stands at a path in the backing directory.
    package func path(_ name: String) -> String { "\(backing)/\(name)" }

    package func status(_ name: String) throws(Errno) -> stat {
        try MAMSystem.status(at: workingDirectory, path(name))
    }

    package func exists(_ name: String) -> Bool { (try? status(name)) != nil }

    package func makeDirectory(_ name: String) throws(Errno) {
        try makeDirectories(path(name), mode: 0o700)
    }

    /// As it lies on the disk.
    package func stored(_ name: String) throws(Errno) -> [UInt8] {
        try readSmallFile(path(name), maximumByteCount: 64 << 20)
    }

    /// Plain bytes, put there by another program.
    package func put(_ bytes: [UInt8], at name: String) throws(Errno) {
        let file = try openFile(path(name), O_RDWR | O_CREAT | O_TRUNC, mode: 0o600)
        try bytes.span.withUnsafeBytes { bytes throws(Errno) in
            try writeFully(file.raw, from: bytes, at: 0)
        }
    }

    /// Changes stored bytes in their place, as a disk or another program might.
    package func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws(Errno) {
        var bytes = try stored(name)
        change(&bytes)
        let file = try openFile(path(name), O_RDWR)
        try bytes.span.withUnsafeBytes { bytes throws(Errno) in
            try writeFully(file.raw, from: bytes, at: 0)
        }
        try setSize(file.raw, Int64(bytes.count))
    }
}
