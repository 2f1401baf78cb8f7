// Orders that are withdrawn, and orders that are done nevertheless.

extension MachineStanding {
    /// Refuses the order from now on. One that is done stays done.
    ///
    /// The order may not be known, nor then its expiry: none that was signed before its withdrawal
    /// can last longer than this refuses it, by clocks that are a day apart.
    mutating func withdraw(_ nonce: String, at issued: Int64) {
        guard obeyed[nonce] == nil || pending[nonce] != nil else { return }
        let last = issued + SignedDocument.longestDays * secondsPerDay + Self.toleratedSeconds
        obeyed[nonce] = max(obeyed[nonce] ?? 0, last)
        pending[nonce] = nil
        withdrawn.insert(nonce)
    }

    /// Whether ``finish(_:)`` changes anything.
    package func isOpen(_ nonce: String) -> Bool {
        pending[nonce] != nil || withdrawn.contains(nonce)
    }

    /// The order is done, also if it was withdrawn while it was obeyed. `late`: it did nothing.
    package mutating func finish(_ nonce: String, late isLate: Bool = false) {
        if isLate { late.insert(nonce) }
        pending[nonce] = nil
        withdrawn.remove(nonce)
    }
}
