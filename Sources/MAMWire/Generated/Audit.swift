// From docs/io.mamd.Audit.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Audit {
        package static let name = "io.mamd.Audit"

        package enum Method: String, Sendable, CaseIterable {
            case list = "List"
        }

        package struct Record: WireObject {
            package var time: String
            package var sequence: Int
            package var event: String
            package var account: String?
            package var receiver: String?
            package var uid: Int?
            package var pid: Int?
            package var program: String?
            package var path: String?
            package var operation: String?
            package var reason: String?
            package var rule: String?
            package var `class`: String?
            package var count: Int

            package init(
                time: String, sequence: Int, event: String, account: String? = nil,
                receiver: String? = nil, uid: Int? = nil, pid: Int? = nil,
                program: String? = nil, path: String? = nil, operation: String? = nil,
                reason: String? = nil, rule: String? = nil, class: String? = nil, count: Int
            ) {
                self.time = time
                self.sequence = sequence
                self.event = event
                self.account = account
                self.receiver = receiver
                self.uid = uid
                self.pid = pid
                self.program = program
                self.path = path
                self.operation = operation
                self.reason = reason
                self.rule = rule
                self.`class` = `class`
                self.count = count
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    time: wire.value("time"), sequence: wire.value("sequence"),
                    event: wire.value("event"), account: wire.value("account"),
                    receiver: wire.value("receiver"), uid: wire.value("uid"),
                    pid: wire.value("pid"), program: wire.value("program"),
                    path: wire.value("path"), operation: wire.value("operation"),
                    reason: wire.value("reason"), rule: wire.value("rule"),
                    class: wire.value("class"), count: wire.value("count")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "time": time.json, "sequence": sequence.json, "event": event.json,
                    "account": account.json, "receiver": receiver.json, "uid": uid.json,
                    "pid": pid.json, "program": program.json, "path": path.json,
                    "operation": operation.json, "reason": reason.json, "rule": rule.json,
                    "class": `class`.json, "count": count.json
                ]
            }
        }

        package struct List: VarlinkRequest {
            package static let method = "io.mamd.Audit.List"
            package static let memberNames: Set<String> = [
                "since", "before", "account", "event", "limit", "follow"
            ]

            package var since: String?
            package var before: String?
            package var account: String?
            package var event: String?
            package var limit: Int?
            package var follow: Bool?

            package init(
                since: String? = nil, before: String? = nil, account: String? = nil,
                event: String? = nil, limit: Int? = nil, follow: Bool? = nil
            ) {
                self.since = since
                self.before = before
                self.account = account
                self.event = event
                self.limit = limit
                self.follow = follow
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    since: wire.value("since"), before: wire.value("before"),
                    account: wire.value("account"), event: wire.value("event"),
                    limit: wire.value("limit"), follow: wire.value("follow")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "since": since.json, "before": before.json, "account": account.json,
                    "event": event.json, "limit": limit.json, "follow": follow.json
                ]
            }

            package struct Reply: WireObject {
                package var record: Record?

                package init(record: Record? = nil) {
                    self.record = record
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(record: wire.value("record"))
                }

                package var members: [String: JSONValue] { ["record": record.json] }
            }
        }
    }
}

extension Varlink.Audit {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# What happened in a workspace: refusals, locks, wipes, damage.
#
# Root and the daemon's user see all of it; other users see records about accounts that they
# registered, with uid, pid and program only of their own processes. Errors are those of
# io.mamd.Workspace.
interface io.mamd.Audit

# time: RFC 3339 in UTC, with milliseconds
# sequence: increases, over restarts too; missing numbers were dropped, or deleted for space
# event: started, stopped, registered, deregistered, passphrase-changed, wrong-passphrase,
#   unlocked, locked, blocked, unblocked, refused (a file, or a call), denied (policy said no to a
#   question), given (content of an account to another owner), overridden (the same, by root
#   against policy), damaged, lost (content that could not be stored), wipe-decided, wiped,
#   wipe-incomplete, policy-changed, policy-refused, ui-identity, keys-exported, keys-imported,
#   recovery-key, dropped
# receiver: the owner that content of the account was, or was to be, given to; nobody: plain
# path: below the mount, in printable form; absolute for a file elsewhere
# operation: open, create, read, use, write; a method such as Workspace.Decrypt; the trigger of
# a wipe; of contained programs, connect or mount
# reason: one sentence
# rule: of policy, or the kind of block; Containment: to keep data with contained programs
# class: A, B, C or D, of a file
# count: repeated refusals of the same thing to the same process are one record with their count
type Record (
  time: string,
  sequence: int,
  event: string,
  account: ?string,
  receiver: ?string,
  uid: ?int,
  pid: ?int,
  program: ?string,
  path: ?string,
  operation: ?string,
  reason: ?string,
  rule: ?string,
  class: ?string,
  count: int
)

# Requires "more": one reply for each record, the oldest first, then one without a record. With
# follow there is no such last reply: new records follow the stored ones.
# since, before: RFC 3339; before is exclusive
# account: a name or an object id. event: one of Record's
# limit: at most so many of the stored records, the newest ones
method List(
  since: ?string,
  before: ?string,
  account: ?string,
  event: ?string,
  limit: ?int,
  follow: ?bool
) -> (record: ?Record)

"""
}
