// io.mamd.Audit: lists and follows the audit records that the caller may see.

internal import MAMAudit
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire

/// Implements the interface.
package struct AuditInterface: VaultInterface {
    typealias Wire = Varlink.Audit

    let tree: Tree
    /// Reading the stored records is expensive: one call at a time does it.
    private let readers = Shares(total: 1)

    package init(tree: Tree) { self.tree = tree }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .list: try list(call)
        }
    }

    /// With `follow`, a call lasts as long as its connection.
    package func cost(of method: String) -> CallCost { .listening }

    private func list(_ call: VarlinkCall) throws -> Wire.List.Reply {
        let question = try AuditQuestion(call, self)
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        // Subscribe before reading the stored records, so that none is missed in between.
        let subscription =
            question.follows
            ? try failing { () throws(Errno) in try vault.sinks.trail.subscribe() } : nil
        let kept = try readers.withSlot(of: call.peer.uid) {
            try failing { () throws(Errno) in
                try vault.sinks.trail.records { question.wants($0) }
            }.suffix(question.limit)
        }
        for record in kept { try send(record, to: call) }
        guard let subscription else { return .init() }
        var last = kept.last?.sequence ?? 0
        while call.waitWhileConnected(for: subscription.readable) {
            for record in subscription.take() where record.sequence > last {
                last = record.sequence
                if question.wants(record) { try send(record, to: call) }
            }
        }
        // The caller has hung up: no final reply.
        throw Errno.notConnected
    }

    private func send(_ record: AuditRecord, to call: VarlinkCall) throws {
        var record = record
        if !isTrusted(call.peer), record.caller?.uid != call.peer.uid { record.caller = nil }
        try call.reply(Varlink.Audit.List.Reply(record: .init(record)))
    }

    private func failing<Value>(
        _ body: () throws(Errno) -> Value
    ) throws(VarlinkError) -> Value {
        do throws(Errno) { return try body() } catch { throw .systemError(error, "the audit") }
    }
}

/// A call's filter on records.
private struct AuditQuestion {
    let follows: Bool
    let limit: Int
    private let since: Timestamp?
    private let before: Timestamp?
    private let account: String?
    private let event: LogMessage?
    /// Only records of this user's accounts; nil for a trusted caller, who sees all.
    private let registrant: UInt32?

    init(_ call: VarlinkCall, _ interface: AuditInterface) throws(VarlinkError) {
        let request: Varlink.Audit.List = try call.request()
        since = try Self.moment(request.since, "since")
        before = try Self.moment(request.before, "before")
        event = try request.event.map { word throws(VarlinkError) in
            guard let event = LogMessage(rawValue: word) else { throw .invalidParameter("event") }
            return event
        }
        limit = request.limit ?? .max
        guard limit >= 0 else { throw .invalidParameter("limit") }
        follows = request.follow ?? false
        account = try Self.account(request, call, interface)
        registrant = interface.isTrusted(call.peer) ? nil : call.peer.uid
    }

    private static func moment(
        _ text: String?, _ name: String
    ) throws(VarlinkError) -> Timestamp? {
        guard let text else { return nil }
        guard let time = Timestamp(text) else { throw .invalidParameter(name) }
        return time
    }

    /// The account's name in the records. A name without an account passes unchecked, as the
    /// account may have been removed: ``wants(_:)`` compares the registrant that each record holds.
    private static func account(
        _ request: Varlink.Audit.List, _ call: VarlinkCall, _ interface: AuditInterface
    ) throws(VarlinkError) -> String? {
        guard let text = request.account else { return nil }
        guard let known = interface.vault.account(named: text) else { return text }
        let identity = interface.vault.identity(of: known)
        try interface.requireControl(call, of: identity)
        return identity.description
    }

    func wants(_ record: AuditRecord) -> Bool {
        if let since, record.time < since { return false }
        if let before, record.time >= before { return false }
        if let account, record.account?.isSameFolded(account) != true { return false }
        if let event, record.event != event { return false }
        return registrant == nil || record.account != nil && record.registrant == registrant
    }
}

extension Varlink.Audit.Record {
    fileprivate init(_ record: AuditRecord) {
        self.init(
            time: record.time.text, sequence: Int(record.sequence), event: record.event.rawValue,
            account: record.account, receiver: record.receiver,
            uid: record.caller.map { Int($0.uid) },
            pid: record.caller?.process.map { Int($0.id) }, program: record.caller?.process?.name,
            path: record.path, operation: record.operation, reason: record.reason,
            rule: record.rule, class: record.fileClass, count: record.count)
    }
}
