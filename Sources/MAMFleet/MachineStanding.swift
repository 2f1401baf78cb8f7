// What a machine has accepted from its organisation, and what it accepts next.

package import MAMModel

/// A value, so that a change counts only once it is stored: change a copy, store it, then use it.
package struct MachineStanding: Sendable, Equatable {
    package private(set) var rootDocument: SignedDocument
    package private(set) var root: Root
    package let machine: MachineID
    /// The newest document of each slot; orders are in ``obeyed``.
    package internal(set) var documents: [Slot: SignedDocument] = [:]
    /// Orders that were accepted, by nonce, and when each expires: until then it is refused.
    package internal(set) var obeyed: [String: Int64] = [:]
    /// The orders among ``obeyed`` that are not done yet.
    package internal(set) var pending: [String: Order] = [:]
    /// The orders among ``obeyed`` that were withdrawn before they were done.
    package internal(set) var withdrawn: Set<String> = []
    /// The orders among ``obeyed`` that took several keys, which their organisation is told first.
    package internal(set) var needingAll: Set<String> = []
    /// The orders among ``obeyed`` that came when nobody waited for them any more, and did nothing.
    package internal(set) var late: Set<String> = []
    /// The latest moment at which a forgotten order expired; no order that expires before it is
    /// accepted.
    package internal(set) var forgottenUntil: Int64 = 0
    /// Policies and settings that only keys had signed that a root took away, and when that root
    /// was issued: accounts are closed until one comes that was signed since.
    package internal(set) var dropped: [Slot: Int64] = [:]
    /// Policies and memberships that a root took away, withdrawn ones too, and when that root was
    /// issued: what was signed before may be what they replaced, and wipes nothing.
    package internal(set) var wipingSince: [Slot: Int64] = [:]
    /// The recovery keys that policies name here, by the policy. They stay when a root takes the
    /// policy away, or a membership the machine: order keys gave them, and take them back.
    package internal(set) var recoveryKeys: [Slot: Set<String>] = [:]
    /// The latest moment, in seconds, on which a signed time and the clock of then agreed: one can
    /// be set forward, and the key of the other may be stolen.
    package internal(set) var latestTime: Int64 = 0

    package var organization: Bytes16 { rootDocument.statement.organization }

    /// What a document changes.
    package enum Effect: Sendable, Equatable {
        /// It was accepted before.
        case nothing
        /// Policies, groups or the time.
        case documents
        case root
        case order(Order, nonce: String)
    }

    /// A bound on what the holder of one key can make a machine keep.
    package static let maximumDocumentCount = 1000
    package static let maximumOrderCount = 10_000
    /// How far the machine's clock may be behind the signer's.
    static let toleratedSeconds = secondsPerDay
    /// How far it may be behind a signed time, unless it is known to be behind by more.
    private static let toleratedTimeSeconds = 2 * secondsPerDay

    /// Joins the organisation of a root that was pinned by its fingerprint.
    package init(pinning root: Envelope, machine: MachineID) throws(Refusal) {
        rootDocument = try SignedDocument(root: root)
        self.root = try Root(parsing: root.content)
        self.machine = machine
    }

    /// Nonces of orders that are done, the newest first as far as their expiry tells. Before them
    /// those that took several keys: the holder of one must not crowd a wipe out.
    package func nonces(atMost limit: Int) -> [String] {
        let done = obeyed.filter { pending[$0.key] == nil && !withdrawn.contains($0.key) }
            .sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
        let first = done.filter(needingAll.contains)
        return Array((first + done.filter { !needingAll.contains($0) }).prefix(limit))
    }

    /// Takes over what was accepted before the machine left and joined again, so that it is not
    /// accepted once more.
    package mutating func remember(_ former: MachineStanding) {
        guard former.organization == organization else { return }
        (obeyed, forgottenUntil) = (former.obeyed, former.forgottenUntil)
        (withdrawn, wipingSince) = (former.withdrawn, former.wipingSince)
        (needingAll, late) = (former.needingAll, former.late)
        (documents, recoveryKeys) = (former.documents, former.recoveryKeys)
        dropUnsigned(for: nil)
    }

    /// The machine's clock, unless it is known to be behind. No time key moves this alone
    /// (docs/adr/0071-whose-time-it-is.md).
    package func now(_ clock: Int64) -> Int64 {
        max(clock, latestTime, rootDocument.statement.issued)
    }

    /// The policy for this machine that was issued last.
    package var newestPolicy: SignedDocument? {
        let groups = membership.groups
        return documents.values.filter {
            $0.kind == .policy && $0.slot.audience.includes(machine, in: groups)
        }.max { $0.statement.issued < $1.statement.issued }
    }

    /// `clock`: seconds since 1970. Throws without a change.
    package mutating func accept(
        _ envelope: Envelope, at clock: Int64
    ) throws(Refusal) -> Effect {
        if envelope.kind == .root { return try acceptRoot(envelope) }
        let document = try SignedDocument(envelope, by: root, of: organization)
        guard isAddressed(document.statement.audience, document.kind) else {
            throw .notForThisMachine(document.statement.audience)
        }
        if let expires = document.statement.expires, expires <= now(clock) {
            throw .expired(expires)
        }
        if document.kind == .order { return try acceptOrder(document, at: clock) }
        if document.kind == .time { try checkTime(document.statement.issued, at: clock) }
        guard try isNewer(document, than: documents[document.slot]) else {
            return try addSignatures(of: document)
        }
        try document.checkContent()
        if let since = dropped[document.slot], document.statement.issued < since {
            throw .issuedBefore(since)
        }
        try requireOrderKeys(of: document)
        try makeRoom(for: document.slot)
        documents[document.slot] = document
        noteRecoveryKeys(of: document)
        dropped[document.slot] = nil
        forgetWipingSince(document)
        if document.kind == .time {
            latestTime = max(latestTime, min(clock, document.statement.issued))
        }
        forgetExpiredOrders(at: clock)
        return .documents
    }

    private func checkTime(_ issued: Int64, at clock: Int64) throws(Refusal) {
        let isBehind = now(clock) > clock
        guard isBehind || issued - Self.toleratedTimeSeconds <= clock else {
            throw .issuedLater(issued)
        }
    }

    /// A document that is signed anew before a root takes its former key away stays in force when
    /// that root comes; a policy that order keys sign later may wipe from then on.
    private mutating func addSignatures(of document: SignedDocument) throws(Refusal) -> Effect {
        let known = documents[document.slot]?.envelope
        guard let more = known?.adding(signaturesOf: document.envelope) else { return .nothing }
        documents[document.slot] = try SignedDocument(more, by: root, of: organization)
        return .documents
    }

    /// Documents for other groups are kept in case the machine joins one, and go first.
    private mutating func makeRoom(for slot: Slot) throws(Refusal) {
        guard documents[slot] == nil, documents.count >= Self.maximumDocumentCount else { return }
        let groups = membership.groups
        guard slot.audience.includes(machine, in: groups) else { throw .full }
        documents = documents.filter {
            $0.key.audience.includes(machine, in: groups) || recoveryKeys[$0.key] != nil
        }
        guard documents.count < Self.maximumDocumentCount else { throw .full }
    }

    // MARK: Roots

    /// The next root is signed by the keys of both, so that nobody who lost a key can be shut out
    /// by its finder, nor let in again.
    private mutating func acceptRoot(_ envelope: Envelope) throws(Refusal) -> Effect {
        let next = try SignedDocument(root: envelope)
        guard next.statement.organization == organization else {
            throw .otherOrganization(next.statement.organization)
        }
        guard try isNewer(next, than: rootDocument) else { return .nothing }
        let expected = rootDocument.statement.serial + 1
        guard next.statement.serial == expected else {
            throw .notSerial(found: next.statement.serial, expected: expected)
        }
        _ = try SignedDocument(envelope, by: root, of: organization)
        root = try Root(parsing: envelope.content)
        rootDocument = next
        dropUnsigned(for: next.statement.issued)
        return .root
    }

    /// What only keys have signed that were taken away counts no more, and neither does its serial:
    /// the finder of a key may have signed the highest that there is. For a policy the root's time
    /// of issue takes the serial's place: an older one, by a key that stays, may be looser.
    private mutating func dropUnsigned(for since: Int64?) {
        let all = documents
        documents = all.compactMapValues {
            try? SignedDocument($0.envelope, by: root, of: organization)
        }
        if let since {
            for (slot, document) in all where documents[slot] == nil {
                if slot.kind.restricts, !document.content(on: machine).isEmpty {
                    dropped[slot] = since
                }
                if slot.kind.role == .policy { wipingSince[slot] = since }
            }
        }
        let left = documents.values.filter { $0.kind == .time }.map(\.statement.issued).max()
        latestTime = min(latestTime, left ?? 0)
    }

    // MARK: Orders

    private mutating func acceptOrder(
        _ document: SignedDocument, at clock: Int64
    ) throws(Refusal) -> Effect {
        let order = try document.order()
        let (statement, expires) = (document.statement, document.statement.expires ?? 0)
        guard obeyed[statement.name] == nil else { throw .obeyed }
        guard expires > forgottenUntil else { throw .expired(expires) }
        guard statement.issued <= now(clock) + Self.toleratedSeconds else {
            throw .issuedLater(statement.issued)
        }
        // Half is kept free of what one stolen key can sign: a wipe must have room.
        let room = order.needsAll ? Self.maximumOrderCount : Self.maximumOrderCount / 2
        guard obeyed.count < room else { throw .full }
        obeyed[statement.name] = expires
        pending[statement.name] = order
        if order.needsAll { needingAll.insert(statement.name) }
        if let other = order.withdrawn { withdraw(other.description, at: statement.issued) }
        return .order(order, nonce: statement.name)
    }

    /// An order has expired if the clock and ``latestTime`` agree on that. One that is forgotten
    /// stays refused by ``forgottenUntil``.
    private mutating func forgetExpiredOrders(at clock: Int64) {
        let past = min(clock, latestTime)
        for (nonce, expires) in obeyed where expires <= past && pending[nonce] == nil {
            obeyed[nonce] = nil
            withdrawn.remove(nonce)
            needingAll.remove(nonce)
            late.remove(nonce)
            forgottenUntil = max(forgottenUntil, expires)
        }
    }

    // MARK: Rules

    private func isAddressed(_ audience: Audience, _ kind: DocumentKind) -> Bool {
        switch audience {
        case .all: true
        // Kept for when the machine joins the group; see ``policies``.
        case .group: kind != .order || membership.groups.contains { .group($0) == audience }
        case .machine(let id): id == machine
        }
    }

    private func isNewer(
        _ document: SignedDocument, than known: SignedDocument?
    ) throws(Refusal) -> Bool {
        guard let known else { return true }
        let (serial, highest) = (document.statement.serial, known.statement.serial)
        guard serial >= highest else { throw .older(serial: serial, than: highest) }
        guard serial == highest else { return true }
        guard document.envelope.payload == known.envelope.payload else {
            throw .twoOfOneSerial(serial)
        }
        return false
    }
}
