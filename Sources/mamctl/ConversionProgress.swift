// How far `encrypt` and `decrypt` are: the daemon tells nothing before its end, but the file grows.

internal import Glibc
internal import MAMSystem
internal import MAMWire

/// Of several files, one after the other.
final class ConversionProgress {
    private let progress: Progress
    /// Of the files before this one.
    private var bytesBefore = 0
    private var sizes: [ByteString: Int] = [:]

    init(_ paths: [ByteString]) {
        progress = Progress(totalFiles: paths.count)
        guard progress.isShown else { return }
        for path in paths {
            let file = try? status(at: workingDirectory, path.cString, followLinks: true)
            sizes[path] = file.map { Int($0.st_size) }
        }
        // Standard input has no size.
        if sizes.count == paths.count { progress.totalBytes = sizes.values.reduce(0, +) }
    }

    /// Looks at what grows until there is an answer.
    func follow(_ destination: Descriptor, until answer: PendingReply) {
        guard progress.isShown else { return }
        while !answer.comes(within: 100) {
            show((try? status(of: destination.raw)).map { Int($0.st_size) } ?? 0)
        }
    }

    /// The same of what goes through our hands.
    func add(_ byteCount: Int) { show(progress.bytes - bytesBefore + byteCount) }

    func finish(_ path: ByteString) {
        progress.files += 1
        bytesBefore += sizes[path] ?? (progress.bytes - bytesBefore)
        show(0)
    }

    func clear() { progress.clear() }

    private func show(_ bytes: Int) {
        progress.bytes = min(bytesBefore + bytes, progress.totalBytes ?? .max)
        progress.show()
    }
}
