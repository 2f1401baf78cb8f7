// The workspace's standing with the organisation that it has joined, in memory and on disk.

internal import Glibc
internal import MAMCrypto
package import MAMFleet
internal import MAMLocks
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem

/// What keeps a workspace from joining, leaving or accepting; clauses.
package enum FleetError: Error, Sendable, Equatable {
    case refused(Refusal)
    case notJoined
    case joined(String)
    case otherFingerprint(String)
    case notUnderstood(String)
    case readOnly
    case notStored(Errno)
}

/// `STATE/fleet/standing.json`, replaced as a whole before a change counts. After leaving it is
/// `left-ORGANIZATION.json`: its orders and serials are not accepted again after another join.
package final class Fleet: Sendable {
    private let path: String
    private let isReadOnly: Bool
    private let current: Guarded<MachineStanding?>
    /// The numbers of the machine's reports.
    package let sequence: ReportSequence
    package let suspects: SuspectDocuments
    /// Orders that this process is obeying, or has obeyed although that could not be stored.
    private let begun = Guarded<[String: Progress]>([:])

    private enum Progress { case underWay, done, late }

    private static let fileName = "standing.json"
    private static let maximumByteCount = 64 << 20

    /// `state`: the state directory. A damaged standing is refused: without it unsigned policies
    /// would count again.
    package init(in state: String, isReadOnly: Bool) throws(FleetError) {
        path = "\(state)/fleet"
        self.isReadOnly = isReadOnly
        sequence = ReportSequence(in: "\(state)/fleet", isReadOnly: isReadOnly)
        suspects = SuspectDocuments(in: "\(state)/fleet", isReadOnly: isReadOnly)
        current = Guarded(try Self.load("\(path)/\(Self.fileName)"))
    }

    package var standing: MachineStanding? { current.withLock { $0 } }
    package var isJoined: Bool { current.withLock { $0 != nil } }

    /// `fingerprint`: the root's, which the administrator got by another way. `machine`: the id of
    /// this machine's key. `documents`: the first ones; all are accepted, or nothing changes.
    package func join(
        _ root: [UInt8], fingerprint: String, machine: MachineID, _ documents: [[UInt8]],
        at clock: Int64
    ) throws(FleetError) {
        try current.withLock { current throws(FleetError) in
            if let current { throw .joined(current.root.name) }
            let envelope = try refusing { () throws(Refusal) in try Envelope(parsing: root) }
            guard envelope.fingerprint == fingerprint.lowercased() else {
                throw .otherFingerprint(envelope.fingerprint)
            }
            var standing = try refusing { () throws(Refusal) in
                try MachineStanding(pinning: envelope, machine: machine)
            }
            if let former = try Self.load("\(path)/\(Self.leftName(standing.organization))") {
                standing.remember(former)
            }
            for document in documents { _ = try Self.accept(document, in: &standing, at: clock) }
            try store(standing)
            current = standing
        }
    }

    /// Leaves the organisation: unsigned policies count again.
    package func leave() throws(FleetError) {
        try current.withLock { current throws(FleetError) in
            guard let standing = current else { throw .notJoined }
            guard !isReadOnly else { throw .readOnly }
            let left = Self.leftName(standing.organization)
            do throws(Errno) {
                let directory = try openFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                try withExtendedLifetime(directory) { () throws(Errno) in
                    _ = try retrying {
                        renameat(directory.raw, Self.fileName, directory.raw, left)
                    }
                    try synchronize(directory.raw)
                }
            } catch { throw .notStored(error) }
            current = nil
        }
    }

    /// Accepts a document, durably on return. `clock`: seconds since 1970.
    package func accept(
        _ bytes: [UInt8], at clock: Int64
    ) throws(FleetError) -> MachineStanding.Effect {
        try current.withLock { current throws(FleetError) in
            guard var next = current else { throw .notJoined }
            let effect: MachineStanding.Effect
            do throws(FleetError) { effect = try Self.accept(bytes, in: &next, at: clock) } catch {
                if case .refused(let refusal) = error {
                    suspects.note(bytes, refusal.kind, at: clock)
                }
                throw error
            }
            suspects.forget(bytes)
            guard effect != .nothing else { return .nothing }
            try store(next)
            current = next
            return effect
        }
    }

    /// Whether to obey the order: false if this process has done so, or is at it. If true,
    /// ``end(_:wasObeyed:)`` must follow.
    package func begin(_ nonce: String) -> Bool {
        begun.withLock { begun in
            guard begun[nonce] == nil, standing?.pending[nonce] != nil else { return false }
            begun[nonce] = .underWay
            return true
        }
    }

    /// Ends what ``begin(_:)`` began. An order that could not be obeyed is tried again.
    package func end(_ nonce: String, wasObeyed: Bool) {
        begun.withLock { $0[nonce] = wasObeyed ? .done : nil }
    }

    /// Ends what ``begin(_:)`` began of an order that nobody waits for any more.
    package func endLate(_ nonce: String) { begun.withLock { $0[nonce] = .late } }

    /// Whether all that is left to do is to store that it is done.
    package func isObeyed(_ nonce: String) -> Bool {
        begun.withLock { $0[nonce].map { $0 != .underWay } ?? false }
    }

    /// Stores that the order is done.
    package func finish(_ nonce: String) throws(FleetError) {
        try current.withLock { current throws(FleetError) in
            guard var next = current, next.isOpen(nonce) else { return }
            next.finish(nonce, late: begun.withLock { $0[nonce] } == .late)
            try store(next)
            current = next
        }
    }

    private static func accept(
        _ bytes: [UInt8], in standing: inout MachineStanding, at clock: Int64
    ) throws(FleetError) -> MachineStanding.Effect {
        let (envelope, effect) = try refusing { () throws(Refusal) in
            let envelope = try Envelope(parsing: bytes)
            return (envelope, try standing.accept(envelope, at: clock))
        }
        try requireUnderstood(envelope)
        return effect
    }

    /// What this version cannot read must not replace what it can.
    private static func requireUnderstood(_ envelope: Envelope) throws(FleetError) {
        guard !envelope.content.isEmpty else { return }
        let policies = try refusing { () throws(Refusal) in try envelope.policies() }
        do throws(PolicyError) {
            switch envelope.kind {
            case .policy:
                for policy in policies { _ = try PolicyDocument.decode(policy, file: nil) }
            case .settings: _ = try AskedSettings(parsing: envelope.content)
            case .root, .membership, .order, .time: break
            }
        } catch { throw .notUnderstood(error.description) }
    }

    // MARK: The file

    private static func leftName(_ organization: Bytes16) -> String { "left-\(organization).json" }

    private static func load(_ path: String) throws(FleetError) -> MachineStanding? {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try readSmallFile(path, maximumByteCount: maximumByteCount)
        } catch {
            if error == .noEntry { return nil }
            throw .notStored(error)
        }
        guard let json = try? JSONValue(parsing: bytes) else {
            throw .refused(.malformed("the standing is no JSON"))
        }
        return try refusing { () throws(Refusal) in try MachineStanding(json) }
    }

    private func store(_ standing: MachineStanding) throws(FleetError) {
        guard !isReadOnly else { throw .readOnly }
        let content = standing.json.encoded(pretty: true)
        // The next start must be able to read it.
        guard content.count <= Self.maximumByteCount, (try? JSONValue(parsing: content)) != nil
        else { throw .refused(.full) }
        do throws(Errno) {
            try makeDirectories(path, mode: 0o700)
            let directory = try openFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            try replaceFile(in: directory, named: Self.fileName, with: content)
        } catch { throw .notStored(error) }
    }
}

private func refusing<Value>(
    _ body: () throws(Refusal) -> Value
) throws(FleetError) -> Value {
    do throws(Refusal) { return try body() } catch { throw .refused(error) }
}

extension FleetError: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .refused(let refusal): "\(refusal)"
        case .notJoined: "this workspace has joined no organisation"
        case .joined(let name): "this workspace has joined \(name)"
        case .otherFingerprint(let found): "the root's fingerprint is \(found)"
        case .notUnderstood(let reason): "its content is refused: \(reason)"
        case .readOnly: "the mount is read-only"
        case .notStored(let error): "the standing in the state directory: \(error)"
        }
    }
}
