// From docs/io.mamd.Fleet.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Fleet {
        package static let name = "io.mamd.Fleet"

        package enum Method: String, Sendable, CaseIterable {
            case join = "Join"
            case leave = "Leave"
            case deliver = "Deliver"
            case show = "Show"
            case enrol = "Enrol"
            case status = "Status"
            case records = "Records"
            case audit = "Audit"
        }

        package struct Document: WireObject {
            package var slot: String
            package var serial: Int
            package var issued: Int
            package var expires: Int?

            package init(slot: String, serial: Int, issued: Int, expires: Int? = nil) {
                self.slot = slot
                self.serial = serial
                self.issued = issued
                self.expires = expires
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    slot: wire.value("slot"), serial: wire.value("serial"),
                    issued: wire.value("issued"), expires: wire.value("expires")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "slot": slot.json, "serial": serial.json, "issued": issued.json,
                    "expires": expires.json
                ]
            }
        }

        package struct Organization: WireObject {
            package var id: String
            package var name: String
            package var machine: String
            package var publicKey: String
            package var rootSerial: Int
            package var fingerprint: String
            package var documents: [Document]
            package var groups: [String]
            package var pending: Int
            package var problem: String?

            package init(
                id: String, name: String, machine: String, publicKey: String,
                rootSerial: Int, fingerprint: String, documents: [Document],
                groups: [String], pending: Int, problem: String? = nil
            ) {
                self.id = id
                self.name = name
                self.machine = machine
                self.publicKey = publicKey
                self.rootSerial = rootSerial
                self.fingerprint = fingerprint
                self.documents = documents
                self.groups = groups
                self.pending = pending
                self.problem = problem
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    id: wire.value("id"), name: wire.value("name"),
                    machine: wire.value("machine"), publicKey: wire.value("publicKey"),
                    rootSerial: wire.value("rootSerial"),
                    fingerprint: wire.value("fingerprint"), documents: wire.value("documents"),
                    groups: wire.value("groups"), pending: wire.value("pending"),
                    problem: wire.value("problem")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "id": id.json, "name": name.json, "machine": machine.json,
                    "publicKey": publicKey.json, "rootSerial": rootSerial.json,
                    "fingerprint": fingerprint.json, "documents": documents.json,
                    "groups": groups.json, "pending": pending.json, "problem": problem.json
                ]
            }
        }

        package struct Join: VarlinkRequest {
            package static let method = "io.mamd.Fleet.Join"
            package static let memberNames: Set<String> = [
                "root", "fingerprint", "documents"
            ]

            package var root: String
            package var fingerprint: String
            package var documents: [String]?

            package init(root: String, fingerprint: String, documents: [String]? = nil) {
                self.root = root
                self.fingerprint = fingerprint
                self.documents = documents
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    root: wire.value("root"), fingerprint: wire.value("fingerprint"),
                    documents: wire.value("documents")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "root": root.json, "fingerprint": fingerprint.json,
                    "documents": documents.json
                ]
            }

            package struct Reply: WireObject {
                package var organization: Organization

                package init(organization: Organization) {
                    self.organization = organization
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(organization: wire.value("organization"))
                }

                package var members: [String: JSONValue] { ["organization": organization.json] }
            }
        }

        package struct Leave: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Fleet.Leave"
            package static let memberNames: Set<String> = []

            package init() {}

            package typealias Reply = NoMembers
        }

        package struct Deliver: VarlinkRequest {
            package static let method = "io.mamd.Fleet.Deliver"
            package static let memberNames: Set<String> = ["document"]

            package var document: String

            package init(document: String) {
                self.document = document
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(document: wire.value("document"))
            }

            package var members: [String: JSONValue] { ["document": document.json] }

            package struct Reply: WireObject {
                package var effect: String

                package init(effect: String) {
                    self.effect = effect
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(effect: wire.value("effect"))
                }

                package var members: [String: JSONValue] { ["effect": effect.json] }
            }
        }

        package struct Show: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Fleet.Show"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var organization: Organization?

                package init(organization: Organization? = nil) {
                    self.organization = organization
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(organization: wire.value("organization"))
                }

                package var members: [String: JSONValue] { ["organization": organization.json] }
            }
        }

        package struct Record: WireObject {
            package var account: String
            package var report: String

            package init(account: String, report: String) {
                self.account = account
                self.report = report
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"), report: wire.value("report"))
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "report": report.json]
            }
        }

        package struct Enrol: VarlinkRequest {
            package static let method = "io.mamd.Fleet.Enrol"
            package static let memberNames: Set<String> = ["invitation", "transportKey"]

            package var invitation: String
            package var transportKey: String

            package init(invitation: String, transportKey: String) {
                self.invitation = invitation
                self.transportKey = transportKey
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    invitation: wire.value("invitation"),
                    transportKey: wire.value("transportKey")
                )
            }

            package var members: [String: JSONValue] {
                ["invitation": invitation.json, "transportKey": transportKey.json]
            }

            package struct Reply: WireObject {
                package var request: String

                package init(request: String) {
                    self.request = request
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(request: wire.value("request"))
                }

                package var members: [String: JSONValue] { ["request": request.json] }
            }
        }

        package struct Status: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Fleet.Status"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var report: String

                package init(report: String) {
                    self.report = report
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(report: wire.value("report"))
                }

                package var members: [String: JSONValue] { ["report": report.json] }
            }
        }

        package struct Records: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Fleet.Records"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var records: [Record]

                package init(records: [Record]) {
                    self.records = records
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(records: wire.value("records"))
                }

                package var members: [String: JSONValue] { ["records": records.json] }
            }
        }

        package struct Audit: VarlinkRequest {
            package static let method = "io.mamd.Fleet.Audit"
            package static let memberNames: Set<String> = ["after", "limit"]

            package var after: Int
            package var limit: Int

            package init(after: Int, limit: Int) {
                self.after = after
                self.limit = limit
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(after: wire.value("after"), limit: wire.value("limit"))
            }

            package var members: [String: JSONValue] {
                ["after": after.json, "limit": limit.json]
            }

            package struct Reply: WireObject {
                package var report: String?
                package var last: Int

                package init(report: String? = nil, last: Int) {
                    self.report = report
                    self.last = last
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(report: wire.value("report"), last: wire.value("last"))
                }

                package var members: [String: JSONValue] {
                    ["report": report.json, "last": last.json]
                }
            }
        }
    }
}

extension Varlink.Fleet {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# The workspace's organisation, whose signed documents it obeys: docs/FLEET.md.
#
# Errors are those of io.mamd.Workspace. All calls but Show are for root and the daemon's own user;
# Deliver, Status, Records and Audit also for the fleet service's, whom the setting FleetUser names.
interface io.mamd.Fleet

# slot: KIND/AUDIENCE/NAME. issued, expires: seconds since 1970; expires is null of some roots
type Document (
  slot: string,
  serial: int,
  issued: int,
  expires: ?int
)

# id: 32 hexadecimal digits. machine: this machine's id, as audiences and orders name it.
# publicKey: of the machine's Ed25519 key, base64. fingerprint: of the root in force.
# documents: those that were accepted. groups: those that this machine is in, of the memberships
# among them. pending: how many orders are not done yet.
# problem: why a check-in would not count now; null: it would
type Organization (
  id: string,
  name: string,
  machine: string,
  publicKey: string,
  rootSerial: int,
  fingerprint: string,
  documents: []Document,
  groups: []string,
  pending: int,
  problem: ?string
)

# Joins the organisation of a signed root. fingerprint: the root's, from the organisation by another
# way than the root. documents: the first ones, so that no account is closed meanwhile; if one is
# refused, nothing has changed. From then on only signed policies count, and accounts that none of
# them covers are closed. Refused if the workspace has joined one.
method Join(
  root: string,
  fingerprint: string,
  documents: ?[]string
) -> (organization: Organization)

# Leaves the organisation without its order, which is refused while there are accounts.
method Leave() -> ()

# Accepts a signed document, or refuses it by name of the rule. effect: nothing (it was known),
# documents, root, order. An order may still be under way.
method Deliver(document: string) -> (effect: string)

# organization: null if the workspace has joined none; without documents, groups and pending orders
# for others than the callers of Status
method Show() -> (organization: ?Organization)

# A recovery record: report is signed, as the reports of the calls below. account: its id
type Record (
  account: string,
  report: string
)

# After Join: the machine's signed request to be let in. invitation: the invitation's id.
# transportKey: the NKey (U…) of the connections, whose seed the caller keeps
method Enrol(invitation: string, transportKey: string) -> (request: string)

# How the machine is; signed with its key, JSON in one line: docs/FLEET.md. No names of files
method Status() -> (report: string)

# The recovery records of the accounts whose policy names a recovery key. One whose proof needs
# keys that are not loaded is left out until the account is unlocked
method Records() -> (records: []Record)

# The audit's records with numbers higher than after, in order, signed. The caller keeps its place:
# the report's member to. limit: of the number of records; fewer may come. report: null if there
# are none. last: the highest number that there is
method Audit(after: int, limit: int) -> (report: ?string, last: int)

"""
}
