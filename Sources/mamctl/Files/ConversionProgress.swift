// Progress of `encrypt` and `decrypt`. The daemon reports nothing before the end, so watch the
// output file grow.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Progress over several files, which are converted in turn.
final class ConversionProgress {
    private let progress: Progress
    /// The size of the files before this one.
    private var bytesBefore = 0
    private var sizes: [ByteString: Int] = [:]

    /// Over files whose number is not known.
    init() { progress = Progress() }

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

    /// Polls the size of the output until the daemon replies.
    func follow(_ destination: Descriptor, until answer: PendingReply) {
        guard progress.isShown else { return }
        while !answer.comes(within: 100) {
            show((try? status(of: destination.raw)).map { Int($0.st_size) } ?? 0)
        }
    }

    /// Counts bytes that pass through this process.
    func add(_ byteCount: Int) { show(progress.bytes - bytesBefore + byteCount) }

    /// `size`: of a file that was not named to `init`.
    func finish(_ path: ByteString, size: Int? = nil) {
        progress.files += 1
        bytesBefore += size ?? sizes[path] ?? (progress.bytes - bytesBefore)
        show(0)
    }

    func clear() { progress.clear() }

    private func show(_ bytes: Int) {
        progress.bytes = min(bytesBefore + bytes, progress.totalBytes ?? .max)
        progress.show()
    }
}
