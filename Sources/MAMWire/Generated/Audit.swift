// From docs/io.mamd.Audit.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

extension Varlink { package enum Audit {} }
extension Varlink.Audit {
    package static let name = "io.mamd.Audit"
    package enum Method: String, Sendable, CaseIterable { case list = "List" }

    package struct Record: WireObject, Equatable {
        package var time: String, sequence: Int, event: String, account: String?, receiver: String?,
            uid: Int?, pid: Int?, program: String?, path: String?, operation: String?,
            reason: String?, rule: String?, `class`: String?, count: Int
        package init(time: String, sequence: Int, event: String, account: String? = nil,
            receiver: String? = nil, uid: Int? = nil, pid: Int? = nil, program: String? = nil,
            path: String? = nil, operation: String? = nil, reason: String? = nil,
            rule: String? = nil, class: String? = nil, count: Int) {
            (self.time, self.sequence, self.event, self.account, self.receiver, self.uid, self.pid,
                self.program, self.path, self.operation, self.reason, self.rule, self.`class`,
                self.count) = (time, sequence, event, account, receiver, uid, pid, program, path,
                operation, reason, rule, `class`, count)
        }
        package static let codec = Codec(["time", "sequence", "event", "account", "receiver", "uid",
            "pid", "program", "path", "operation", "reason", "rule", "class", "count"], Self.init) {
            [$0.time.json, $0.sequence.json, $0.event.json, $0.account.json, $0.receiver.json,
                $0.uid.json, $0.pid.json, $0.program.json, $0.path.json, $0.operation.json,
                $0.reason.json, $0.rule.json, $0.`class`.json, $0.count.json]
        }
    }

    package struct List: VarlinkRequest {
        package var since: String?, before: String?, account: String?, event: String?, limit: Int?,
            follow: Bool?
        package init(since: String? = nil, before: String? = nil, account: String? = nil,
            event: String? = nil, limit: Int? = nil, follow: Bool? = nil) {
            (self.since, self.before, self.account, self.event, self.limit, self.follow) = (since,
                before, account, event, limit, follow)
        }
        package static let codec = Codec(["since", "before", "account", "event", "limit",
            "follow"], Self.init) {
            [$0.since.json, $0.before.json, $0.account.json, $0.event.json, $0.limit.json,
                $0.follow.json]
        }
        package struct Reply: WireObject {
            package var record: Record?
            package init(record: Record? = nil) { self.record = record }
            package static let codec = Codec(["record"], Self.init) { [$0.record.json] }
        }
    }
}
