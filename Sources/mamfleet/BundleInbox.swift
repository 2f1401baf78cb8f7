// Bundles on their way to the thread that delivers.

internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Holds the newest bundle of each key, so that it is bounded by the number of keys, however fast
/// bundles arrive.
final class BundleInbox: Sendable {
    private let bundles = Mutex<[BundleKey: ArrivedBundle]>([:])
    private let semaphore = Semaphore()

    func put(_ bundle: ArrivedBundle) {
        guard bundle.bytes.count <= Bundle.maximumByteCount else { return }
        let wasEmpty = bundles.withLock { bundles in
            defer { bundles[bundle.key] = bundle }
            return bundles.isEmpty
        }
        if wasEmpty { semaphore.signal() }
    }

    /// Takes all bundles; empty if the deadline passes first.
    func take(until deadline: Deadline) -> [ArrivedBundle] {
        semaphore.wait(until: deadline) {
            bundles.withLock { bundles in
                defer { bundles.removeAll() }
                return Array(bundles.values)
            }
        }
    }
}
