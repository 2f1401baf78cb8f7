// The window of a file in use, for reads on all processors at once.

internal import Synchronization

/// Finds the window without a lock and without a reference of its own: both are writes to memory
/// that all of an account's reads share.
final class CurrentWindow: Sendable {
    /// An unmanaged reference's address, or 0.
    private let address: Atomic<UInt>
    /// Every window so far: whoever has found one may still be using it. Few files ever change
    /// theirs.
    private let kept: Mutex<[AccessWindow]>

    init(_ window: AccessWindow?) {
        kept = Mutex(window.map { [$0] } ?? [])
        address = Atomic(Self.address(of: window))
    }

    /// Lives as long as this object.
    @inline(__always)
    var unmanaged: Unmanaged<AccessWindow>? {
        UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring))
            .map(Unmanaged.fromOpaque)
    }

    var window: AccessWindow? { unmanaged?.takeUnretainedValue() }

    func change(to window: AccessWindow?) {
        kept.withLock { kept in
            if let window, !kept.contains(where: { $0 === window }) { kept.append(window) }
            address.store(Self.address(of: window), ordering: .releasing)
        }
    }

    private static func address(of window: AccessWindow?) -> UInt {
        window.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
    }
}
