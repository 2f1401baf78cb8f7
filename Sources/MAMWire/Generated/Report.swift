// From docs/io.mamd.Report.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink { package enum Report {} }
extension Varlink.Report {
    package static let name = "io.mamd.Report"
    package enum Method: String, Sendable, CaseIterable {
        case census = "Census", lastVerify = "LastVerify"
    }

    package typealias ProtectionClass = MAMModel.ProtectionClass
    package typealias ProtectionState = MAMModel.ProtectionState
    package typealias Problem = Varlink.Workspace.Problem
    package typealias Place = Varlink.Workspace.Place
    package typealias Outcome = Varlink.Workspace.Outcome

    package struct Sum: WireObject, Equatable {
        package var owner: String, ownerObjectID: String, `class`: ProtectionClass?,
            state: ProtectionState, files: Int, bytes: Int, storedBytes: Int
        package init(owner: String, ownerObjectID: String, class: ProtectionClass? = nil,
            state: ProtectionState, files: Int, bytes: Int, storedBytes: Int) {
            (self.owner, self.ownerObjectID, self.`class`, self.state, self.files, self.bytes,
                self.storedBytes) = (owner, ownerObjectID, `class`, state, files, bytes,
                storedBytes)
        }
        package static let codec = Codec(["owner", "ownerObjectId", "class", "state", "files",
            "bytes", "storedBytes"], Self.init) {
            [$0.owner.json, $0.ownerObjectID.json, $0.`class`.json, $0.state.json, $0.files.json,
                $0.bytes.json, $0.storedBytes.json]
        }
    }

    package struct Totals: WireObject, Equatable {
        package var files: Int, bytes: Int, storedBytes: Int, directories: Int, others: Int,
            unreadable: Int, uncounted: Int
        package init(files: Int, bytes: Int, storedBytes: Int, directories: Int, others: Int,
            unreadable: Int, uncounted: Int) {
            (self.files, self.bytes, self.storedBytes, self.directories, self.others,
                self.unreadable, self.uncounted) = (files, bytes, storedBytes, directories, others,
                unreadable, uncounted)
        }
        package static let codec = Codec(["files", "bytes", "storedBytes", "directories", "others",
            "unreadable", "uncounted"], Self.init) {
            [$0.files.json, $0.bytes.json, $0.storedBytes.json, $0.directories.json, $0.others.json,
                $0.unreadable.json, $0.uncounted.json]
        }
    }

    package typealias BlockRange = Varlink.Workspace.BlockRange
    package typealias Finding = Varlink.Workspace.Finding
    package typealias VerifyCounts = Varlink.Workspace.VerifyCounts

    package struct Verification: WireObject, Equatable {
        package var time: Int, repair: Bool, counts: VerifyCounts, findings: [Finding]
        package init(time: Int, repair: Bool, counts: VerifyCounts, findings: [Finding]) {
            (self.time, self.repair, self.counts, self.findings) = (time, repair, counts, findings)
        }
        package static let codec = Codec(["time", "repair", "counts", "findings"], Self.init) {
            [$0.time.json, $0.repair.json, $0.counts.json, $0.findings.json]
        }
    }

    package struct Census: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var progress: Totals?, sums: [Sum]?, total: Totals?
            package init(progress: Totals? = nil, sums: [Sum]? = nil, total: Totals? = nil) {
                (self.progress, self.sums, self.total) = (progress, sums, total)
            }
            package static let codec = Codec(["progress", "sums", "total"], Self.init) {
                [$0.progress.json, $0.sums.json, $0.total.json]
            }
        }
    }

    package struct LastVerify: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var verify: Verification?
            package init(verify: Verification? = nil) { self.verify = verify }
            package static let codec = Codec(["verify"], Self.init) { [$0.verify.json] }
        }
    }
}
