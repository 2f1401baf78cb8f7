// From docs/io.mamd.Fleet.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink { package enum Fleet {} }
extension Varlink.Fleet {
    package static let name = "io.mamd.Fleet"
    package enum Method: String, Sendable, CaseIterable {
        case join = "Join", leave = "Leave", deliver = "Deliver", show = "Show", enrol = "Enrol",
            status = "Status", preview = "Preview", records = "Records", audit = "Audit"
    }

    package struct Document: WireObject, Equatable {
        package var slot: String, serial: Int, issued: Int, expires: Int?
        package init(slot: String, serial: Int, issued: Int, expires: Int? = nil) {
            (self.slot, self.serial, self.issued, self.expires) = (slot, serial, issued, expires)
        }
        package static let codec = Codec(["slot", "serial", "issued", "expires"], Self.init) {
            [$0.slot.json, $0.serial.json, $0.issued.json, $0.expires.json]
        }
    }

    package struct Setting: WireObject, Equatable {
        package var key: String, value: String, stricter: Bool, documents: [String], unmet: String?
        package init(key: String, value: String, stricter: Bool, documents: [String],
            unmet: String? = nil) {
            (self.key, self.value, self.stricter, self.documents, self.unmet) = (key, value,
                stricter, documents, unmet)
        }
        package static let codec = Codec(["key", "value", "stricter", "documents",
            "unmet"], Self.init) {
            [$0.key.json, $0.value.json, $0.stricter.json, $0.documents.json, $0.unmet.json]
        }
    }

    package struct Organization: WireObject, Equatable {
        package var id: String, name: String, machine: String, publicKey: String, rootSerial: Int,
            fingerprint: String, documents: [Document], groups: [String], settings: [Setting],
            pending: Int, problem: String?, policySerial: Int?, policyIssued: Int?, contact: String?
        package init(id: String, name: String, machine: String, publicKey: String, rootSerial: Int,
            fingerprint: String, documents: [Document], groups: [String], settings: [Setting],
            pending: Int, problem: String? = nil, policySerial: Int? = nil,
            policyIssued: Int? = nil, contact: String? = nil) {
            (self.id, self.name, self.machine, self.publicKey, self.rootSerial, self.fingerprint,
                self.documents, self.groups, self.settings, self.pending, self.problem,
                self.policySerial, self.policyIssued, self.contact) = (id, name, machine, publicKey,
                rootSerial, fingerprint, documents, groups, settings, pending, problem,
                policySerial, policyIssued, contact)
        }
        package static let codec = Codec(["id", "name", "machine", "publicKey", "rootSerial",
            "fingerprint", "documents", "groups", "settings", "pending", "problem", "policySerial",
            "policyIssued", "contact"], Self.init) {
            [$0.id.json, $0.name.json, $0.machine.json, $0.publicKey.json, $0.rootSerial.json,
                $0.fingerprint.json, $0.documents.json, $0.groups.json, $0.settings.json,
                $0.pending.json, $0.problem.json, $0.policySerial.json, $0.policyIssued.json,
                $0.contact.json]
        }
    }

    package struct Join: VarlinkRequest {
        package var root: String, fingerprint: String, documents: [String]?
        package init(root: String, fingerprint: String, documents: [String]? = nil) {
            (self.root, self.fingerprint, self.documents) = (root, fingerprint, documents)
        }
        package static let codec = Codec(["root", "fingerprint", "documents"], Self.init) {
            [$0.root.json, $0.fingerprint.json, $0.documents.json]
        }
        package struct Reply: WireObject {
            package var organization: Organization
            package init(organization: Organization) { self.organization = organization }
            package static let codec = Codec(["organization"], Self.init) { [$0.organization.json] }
        }
    }

    package struct Leave: VarlinkRequest, WithoutMembers { package init() {} }

    package enum Effect: String, WireWord { case nothing, documents, root, order }

    package struct Deliver: VarlinkRequest {
        package var document: String
        package init(document: String) { self.document = document }
        package static let codec = Codec(["document"], Self.init) { [$0.document.json] }
        package struct Reply: WireObject {
            package var effect: Effect
            package init(effect: Effect) { self.effect = effect }
            package static let codec = Codec(["effect"], Self.init) { [$0.effect.json] }
        }
    }

    package struct Show: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var organization: Organization?
            package init(organization: Organization? = nil) { self.organization = organization }
            package static let codec = Codec(["organization"], Self.init) { [$0.organization.json] }
        }
    }

    package struct Record: WireObject, Equatable {
        package var account: String, report: String
        package init(account: String, report: String) {
            (self.account, self.report) = (account, report)
        }
        package static let codec = Codec(["account", "report"], Self.init) {
            [$0.account.json, $0.report.json]
        }
    }

    package struct Enrol: VarlinkRequest {
        package var invitation: String, transportKey: String
        package init(invitation: String, transportKey: String) {
            (self.invitation, self.transportKey) = (invitation, transportKey)
        }
        package static let codec = Codec(["invitation", "transportKey"], Self.init) {
            [$0.invitation.json, $0.transportKey.json]
        }
        package struct Reply: WireObject {
            package var request: String
            package init(request: String) { self.request = request }
            package static let codec = Codec(["request"], Self.init) { [$0.request.json] }
        }
    }

    package struct Status: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var report: String
            package init(report: String) { self.report = report }
            package static let codec = Codec(["report"], Self.init) { [$0.report.json] }
        }
    }

    package struct Preview: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var status: JSONValue, withheld: [String], fetched: Int?
            package init(status: JSONValue, withheld: [String], fetched: Int? = nil) {
                (self.status, self.withheld, self.fetched) = (status, withheld, fetched)
            }
            package static let codec = Codec(["status", "withheld", "fetched"], Self.init) {
                [$0.status.json, $0.withheld.json, $0.fetched.json]
            }
        }
    }

    package struct Records: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var records: [Record]
            package init(records: [Record]) { self.records = records }
            package static let codec = Codec(["records"], Self.init) { [$0.records.json] }
        }
    }

    package struct Audit: VarlinkRequest {
        package var after: Int, limit: Int
        package init(after: Int, limit: Int) { (self.after, self.limit) = (after, limit) }
        package static let codec = Codec(["after", "limit"], Self.init) {
            [$0.after.json, $0.limit.json]
        }
        package struct Reply: WireObject {
            package var report: String?, last: Int
            package init(report: String? = nil, last: Int) {
                (self.report, self.last) = (report, last)
            }
            package static let codec = Codec(["report", "last"], Self.init) {
                [$0.report.json, $0.last.json]
            }
        }
    }
}
