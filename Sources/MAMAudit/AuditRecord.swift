// One audit entry: what happened, to whose data, by which caller.

package import MAMModel
package import MAMSystem

/// The caller that caused an event.
package struct AuditCaller: Sendable, Equatable {
    package let uid: UInt32
    /// Nil for an unknown process.
    package let process: ProcessName?

    package init(uid: UInt32, process: ProcessName?) {
        self.uid = uid
        self.process = process
    }

    package init(uid: UInt32, pid: Int32) {
        self.init(uid: uid, process: pid > 0 ? ProcessName(pid) : nil)
    }
}

/// Everything except the event and the time may be unknown.
package struct AuditRecord: Sendable, Equatable {
    package let event: LogMessage
    package var time = Timestamp.now
    /// Continues across restarts; 0 until written.
    package var sequence: Int64 = 0
    package var account: String?
    /// The owner that content of the account was given to, or was to be.
    package var receiver: String?
    /// The user that registered the account, who may read this record after the account is gone.
    package var registrant: UInt32?
    package var caller: AuditCaller?
    /// Below the mount, unprintable characters escaped.
    package var path: String?
    /// `open`, `create`, `read`, `use`, `write`, or a method of the socket.
    package var operation: String?
    /// One sentence.
    package var reason: String?
    /// The rule of policy that decided, or ``containment``.
    package var rule: String?
    package var fileClass: String?
    /// The number of repetitions in this record.
    package var count = 1
    /// The program's error. Only for the journal.
    package var errno: Int32?

    /// The rule of what is refused so that data stays with contained programs: the setting's key.
    package static let containment = "Containment"

    package init(
        _ event: LogMessage, of account: String? = nil, registrant: UInt32? = nil,
        path: String? = nil, operation: String? = nil, reason: String? = nil, rule: String? = nil
    ) {
        self.event = event
        (self.account, self.registrant, self.path) = (account, registrant, path)
        (self.operation, self.reason, self.rule) = (operation, reason, rule)
    }
}

extension AuditRecord {
    /// The journal's fields.
    var fields: [LogField: String] {
        let all: [LogField: String?] = [
            .account: account, .receiver: receiver,
            .pid: caller?.process.map { "\($0.id)" }, .program: caller?.process?.name,
            .uid: caller.map { "\($0.uid)" }, .path: path, .operation: operation,
            .reason: reason, .rule: rule, .fileClass: fileClass,
            .count: "\(count)", .errno: errno.map { "\($0)" },
        ]
        return all.compactMapValues(\.self)
    }

    /// A line for people, for events without a message of their own.
    var text: String {
        let who = caller.map { "\($0.process?.description ?? "a process") of uid \($0.uid)" }
        let parts = [
            path, receiver.map { "to \($0)" }, operation, who.map { "by \($0)" },
            count > 1 ? "\(count) times" : nil,
        ].compactMap(\.self)
        return "\(event.rawValue): \(parts.joined(separator: " "))"
            + (reason.map { ": \($0)" } ?? "")
    }

    /// Longer than any escaped path; a caller's own text could be as long as a frame.
    private static let maximumTextByteCount = 16 << 10

    /// Applies the scrubbing `rules`, and limits the length of each text.
    mutating func scrub(by rules: LogRules) {
        for part in [
            \Self.account, \Self.receiver, \Self.path, \Self.operation, \Self.reason, \Self.rule,
        ] {
            self[keyPath: part] = self[keyPath: part].map { text in
                let shown = rules.scrub(text)
                guard shown.utf8.count > Self.maximumTextByteCount else { return shown }
                return String(decoding: shown.utf8.prefix(Self.maximumTextByteCount), as: UTF8.self)
            }
        }
        guard let caller, let process = caller.process else { return }
        self.caller = AuditCaller(
            uid: caller.uid, process: ProcessName(process.id, named: rules.scrub(process.name)))
    }
}
