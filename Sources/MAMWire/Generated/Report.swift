// From docs/io.mamd.Report.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Report {
        package static let name = "io.mamd.Report"

        package enum Method: String, Sendable, CaseIterable {
            case census = "Census"
            case lastVerify = "LastVerify"
        }

        package struct Sum: WireObject {
            package var owner: String
            package var ownerObjectID: String
            package var `class`: String?
            package var state: String
            package var files: Int
            package var bytes: Int
            package var storedBytes: Int

            package init(
                owner: String, ownerObjectID: String, class: String? = nil, state: String,
                files: Int, bytes: Int, storedBytes: Int
            ) {
                self.owner = owner
                self.ownerObjectID = ownerObjectID
                self.`class` = `class`
                self.state = state
                self.files = files
                self.bytes = bytes
                self.storedBytes = storedBytes
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), ownerObjectID: wire.value("ownerObjectId"),
                    class: wire.value("class"), state: wire.value("state"),
                    files: wire.value("files"), bytes: wire.value("bytes"),
                    storedBytes: wire.value("storedBytes")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "ownerObjectId": ownerObjectID.json,
                    "class": `class`.json, "state": state.json, "files": files.json,
                    "bytes": bytes.json, "storedBytes": storedBytes.json
                ]
            }
        }

        package struct Totals: WireObject {
            package var files: Int
            package var bytes: Int
            package var storedBytes: Int
            package var directories: Int
            package var others: Int
            package var unreadable: Int
            package var uncounted: Int

            package init(
                files: Int, bytes: Int, storedBytes: Int, directories: Int, others: Int,
                unreadable: Int, uncounted: Int
            ) {
                self.files = files
                self.bytes = bytes
                self.storedBytes = storedBytes
                self.directories = directories
                self.others = others
                self.unreadable = unreadable
                self.uncounted = uncounted
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    files: wire.value("files"), bytes: wire.value("bytes"),
                    storedBytes: wire.value("storedBytes"),
                    directories: wire.value("directories"), others: wire.value("others"),
                    unreadable: wire.value("unreadable"), uncounted: wire.value("uncounted")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "files": files.json, "bytes": bytes.json, "storedBytes": storedBytes.json,
                    "directories": directories.json, "others": others.json,
                    "unreadable": unreadable.json, "uncounted": uncounted.json
                ]
            }
        }

        package typealias BlockRange = Varlink.Workspace.BlockRange

        package typealias Finding = Varlink.Workspace.Finding

        package typealias VerifyCounts = Varlink.Workspace.VerifyCounts

        package struct Verification: WireObject {
            package var time: Int
            package var repair: Bool
            package var counts: VerifyCounts
            package var findings: [Finding]

            package init(
                time: Int, repair: Bool, counts: VerifyCounts, findings: [Finding]
            ) {
                self.time = time
                self.repair = repair
                self.counts = counts
                self.findings = findings
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    time: wire.value("time"), repair: wire.value("repair"),
                    counts: wire.value("counts"), findings: wire.value("findings")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "time": time.json, "repair": repair.json, "counts": counts.json,
                    "findings": findings.json
                ]
            }
        }

        package struct Census: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Report.Census"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var progress: Totals?
                package var sums: [Sum]?
                package var total: Totals?

                package init(
                    progress: Totals? = nil, sums: [Sum]? = nil, total: Totals? = nil
                ) {
                    self.progress = progress
                    self.sums = sums
                    self.total = total
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        progress: wire.value("progress"), sums: wire.value("sums"),
                        total: wire.value("total")
                    )
                }

                package var members: [String: JSONValue] {
                    ["progress": progress.json, "sums": sums.json, "total": total.json]
                }
            }
        }

        package struct LastVerify: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Report.LastVerify"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var verify: Verification?

                package init(verify: Verification? = nil) {
                    self.verify = verify
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(verify: wire.value("verify"))
                }

                package var members: [String: JSONValue] { ["verify": verify.json] }
            }
        }
    }
}

extension Varlink.Report {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# The data for a report of the workspace. Changes nothing. Errors are those of io.mamd.Workspace.
interface io.mamd.Report

# The files of one owner, class and state (io.mamd.Workspace, type Protection). owner "": nobody.
# bytes: as readers see them; storedBytes: on disk.
type Sum (
  owner: string,
  ownerObjectId: string,
  class: ?string,
  state: string,
  files: int,
  bytes: int,
  storedBytes: int
)

# others: links, pipes, sockets and devices; unreadable: could not be examined; uncounted: files
# that are in no sum, because there are more than 1000 sums, or 500,000 files with several names
type Totals (
  files: int,
  bytes: int,
  storedBytes: int,
  directories: int,
  others: int,
  unreadable: int,
  uncounted: int
)

type BlockRange (
  first: int,
  last: int
)

# problem, outcome and place as in io.mamd.Workspace, type Finding
type Finding (
  path: string,
  place: string,
  problem: string,
  reason: string,
  words: ?[]string,
  blocks: []BlockRange,
  blockCount: int,
  outcome: string,
  action: ?string
)

# As in io.mamd.Workspace
type VerifyCounts (
  files: int,
  bytes: int,
  totalBytes: int,
  uncheckedFiles: int,
  left: int,
  repaired: int,
  incomplete: int,
  quarantined: int,
  unchecked: int,
  unreadable: int,
  foreign: int
)

# time: its end, in seconds since 1970; findings: the first 100 whose outcome is not noted
type Verification (
  time: int,
  repair: bool,
  counts: VerifyCounts,
  findings: []Finding
)

# Counts the files of the whole workspace, a file with several names once. Reads only their
# headers. Call with more: root and the daemon's user get progress; the last reply has sums and
# total. Other users get the files of the accounts that they registered.
method Census() -> (progress: ?Totals, sums: ?[]Sum, total: ?Totals)

# The last completed check of the whole workspace. For root and the daemon's user. null: none.
method LastVerify() -> (verify: ?Verification)

"""
}
