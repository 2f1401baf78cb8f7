// From docs/io.mamd.Enrollment.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink { package enum Enrollment {} }
extension Varlink.Enrollment {
    package static let name = "io.mamd.Enrollment"
    package enum Method: String, Sendable, CaseIterable {
        case register = "Register", login = "Login", deregister = "Deregister", checkIn = "CheckIn",
            list = "List", allowedAccounts = "AllowedAccounts", checkCompliance = "CheckCompliance",
            userStatus = "UserStatus", setThreatLevel = "SetThreatLevel",
            advanceClock = "AdvanceClock"
    }

    package struct Status: WireObject, Equatable {
        package var identity: String, accountID: String, didSucceed: Bool, statusCode: Int,
            errorString: String?
        package init(identity: String, accountID: String, didSucceed: Bool, statusCode: Int,
            errorString: String? = nil) {
            (self.identity, self.accountID, self.didSucceed, self.statusCode,
                self.errorString) = (identity, accountID, didSucceed, statusCode, errorString)
        }
        package static let codec = Codec(["identity", "accountId", "didSucceed", "statusCode",
            "errorString"], Self.init) {
            [$0.identity.json, $0.accountID.json, $0.didSucceed.json, $0.statusCode.json,
                $0.errorString.json]
        }
    }

    package enum Action: String, WireWord { case warn, block, wipe }

    package struct Finding: WireObject, Equatable {
        package var action: Action, rule: String, reason: String
        package init(action: Action, rule: String, reason: String) {
            (self.action, self.rule, self.reason) = (action, rule, reason)
        }
        package static let codec = Codec(["action", "rule", "reason"], Self.init) {
            [$0.action.json, $0.rule.json, $0.reason.json]
        }
    }

    package typealias Stage = Varlink.Workspace.Stage
    package typealias BlockKind = MAMModel.AccountBlock.Kind

    package struct Enrollment: WireObject, Equatable {
        package var stage: Stage, status: Status, secondsSinceCheckIn: Int, block: BlockKind?,
            blockReason: String?, findings: [Finding]
        package init(stage: Stage, status: Status, secondsSinceCheckIn: Int,
            block: BlockKind? = nil, blockReason: String? = nil, findings: [Finding]) {
            (self.stage, self.status, self.secondsSinceCheckIn, self.block, self.blockReason,
                self.findings) = (stage, status, secondsSinceCheckIn, block, blockReason, findings)
        }
        package static let codec = Codec(["stage", "status", "secondsSinceCheckIn", "block",
            "blockReason", "findings"], Self.init) {
            [$0.stage.json, $0.status.json, $0.secondsSinceCheckIn.json, $0.block.json,
                $0.blockReason.json, $0.findings.json]
        }
    }

    package struct Register: VarlinkRequest {
        package var name: String, objectID: String?, passphrase: String?,
            passphraseDescriptor: Int?, noPassphrase: Bool?, newKeys: Bool?
        package init(name: String, objectID: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, noPassphrase: Bool? = nil, newKeys: Bool? = nil) {
            (self.name, self.objectID, self.passphrase, self.passphraseDescriptor,
                self.noPassphrase, self.newKeys) = (name, objectID, passphrase,
                passphraseDescriptor, noPassphrase, newKeys)
        }
        package static let codec = Codec(["name", "objectId", "passphrase", "passphraseDescriptor",
            "noPassphrase", "newKeys"], Self.init) {
            [$0.name.json, $0.objectID.json, $0.passphrase.json, $0.passphraseDescriptor.json,
                $0.noPassphrase.json, $0.newKeys.json]
        }
        package struct Reply: WireObject {
            package var status: Status
            package init(status: Status) { self.status = status }
            package static let codec = Codec(["status"], Self.init) { [$0.status.json] }
        }
    }

    package struct Login: VarlinkRequest {
        package var account: String?, passphrase: String?, passphraseDescriptor: Int?, typed: Bool?
        package init(account: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, typed: Bool? = nil) {
            (self.account, self.passphrase, self.passphraseDescriptor, self.typed) = (account,
                passphrase, passphraseDescriptor, typed)
        }
        package static let codec = Codec(["account", "passphrase", "passphraseDescriptor",
            "typed"], Self.init) {
            [$0.account.json, $0.passphrase.json, $0.passphraseDescriptor.json, $0.typed.json]
        }
        package typealias Reply = Register.Reply
    }

    package struct Deregister: VarlinkRequest {
        package var account: String, wipe: Bool, confirmed: Bool?
        package init(account: String, wipe: Bool, confirmed: Bool? = nil) {
            (self.account, self.wipe, self.confirmed) = (account, wipe, confirmed)
        }
        package static let codec = Codec(["account", "wipe", "confirmed"], Self.init) {
            [$0.account.json, $0.wipe.json, $0.confirmed.json]
        }
        package struct Reply: WireObject {
            package var status: Status, wiped: JSONValue?
            package init(status: Status, wiped: JSONValue? = nil) {
                (self.status, self.wiped) = (status, wiped)
            }
            package static let codec = Codec(["status", "wiped"], Self.init) {
                [$0.status.json, $0.wiped.json]
            }
        }
    }

    package struct CheckIn: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var succeeded: Bool, reason: String?
            package init(succeeded: Bool, reason: String? = nil) {
                (self.succeeded, self.reason) = (succeeded, reason)
            }
            package static let codec = Codec(["succeeded", "reason"], Self.init) {
                [$0.succeeded.json, $0.reason.json]
            }
        }
    }

    package struct List: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var enrollments: [Enrollment], threatLevel: ThreatLevel?
            package init(enrollments: [Enrollment], threatLevel: ThreatLevel? = nil) {
                (self.enrollments, self.threatLevel) = (enrollments, threatLevel)
            }
            package static let codec = Codec(["enrollments", "threatLevel"], Self.init) {
                [$0.enrollments.json, $0.threatLevel.json]
            }
        }
    }

    package struct AllowedAccounts: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var accounts: [String]?
            package init(accounts: [String]? = nil) { self.accounts = accounts }
            package static let codec = Codec(["accounts"], Self.init) { [$0.accounts.json] }
        }
    }

    package struct CheckCompliance: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var status: Int, reason: String?
            package init(status: Int, reason: String? = nil) {
                (self.status, self.reason) = (status, reason)
            }
            package static let codec = Codec(["status", "reason"], Self.init) {
                [$0.status.json, $0.reason.json]
            }
        }
    }

    package struct UserStatus: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var status: Int
            package init(status: Int) { self.status = status }
            package static let codec = Codec(["status"], Self.init) { [$0.status.json] }
        }
    }

    package enum ThreatLevel: String, WireWord { case high, medium, low, secured }

    package struct SetThreatLevel: VarlinkRequest {
        package var level: ThreatLevel?
        package init(level: ThreatLevel? = nil) { self.level = level }
        package static let codec = Codec(["level"], Self.init) { [$0.level.json] }
    }

    package struct AdvanceClock: VarlinkRequest {
        package var seconds: Int
        package init(seconds: Int) { self.seconds = seconds }
        package static let codec = Codec(["seconds"], Self.init) { [$0.seconds.json] }
    }
}
