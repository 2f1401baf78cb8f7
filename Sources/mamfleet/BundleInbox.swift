// Bundles on their way to the thread that delivers.

internal import MAMEngine
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Of each key the newest alone, so that it is bounded by the number of keys, however fast somebody
/// sends.
final class BundleInbox: Sendable {
    private let bundles = Mutex<[BundleKey: ArrivedBundle]>([:])
    private let semaphore = Semaphore()

    func put(_ bundle: ArrivedBundle) {
        guard bundle.bytes.count <= DocumentBundle.maximumByteCount else { return }
        let wasEmpty = bundles.withLock { bundles in
            defer { bundles[bundle.key] = bundle }
            return bundles.isEmpty
        }
        if wasEmpty { semaphore.signal() }
    }

    /// Empty if the deadline passes first.
    func take(until deadline: Deadline) -> [ArrivedBundle] {
        semaphore.wait(until: deadline) {
            bundles.withLock { bundles in
                defer { bundles.removeAll() }
                return Array(bundles.values)
            }
        }
    }
}
