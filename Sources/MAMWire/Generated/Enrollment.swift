// From docs/io.mamd.Enrollment.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Enrollment {
        package static let name = "io.mamd.Enrollment"

        package enum Method: String, Sendable, CaseIterable {
            case register = "Register"
            case login = "Login"
            case deregister = "Deregister"
            case checkIn = "CheckIn"
            case list = "List"
            case allowedAccounts = "AllowedAccounts"
            case checkCompliance = "CheckCompliance"
            case userStatus = "UserStatus"
            case setThreatLevel = "SetThreatLevel"
            case advanceClock = "AdvanceClock"
        }

        package struct Status: WireObject {
            package var identity: String
            package var accountID: String
            package var didSucceed: Bool
            package var statusCode: Int
            package var errorString: String?

            package init(
                identity: String, accountID: String, didSucceed: Bool, statusCode: Int,
                errorString: String? = nil
            ) {
                self.identity = identity
                self.accountID = accountID
                self.didSucceed = didSucceed
                self.statusCode = statusCode
                self.errorString = errorString
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    identity: wire.value("identity"), accountID: wire.value("accountId"),
                    didSucceed: wire.value("didSucceed"), statusCode: wire.value("statusCode"),
                    errorString: wire.value("errorString")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "identity": identity.json, "accountId": accountID.json,
                    "didSucceed": didSucceed.json, "statusCode": statusCode.json,
                    "errorString": errorString.json
                ]
            }
        }

        package struct Finding: WireObject {
            package var action: String
            package var rule: String
            package var reason: String

            package init(action: String, rule: String, reason: String) {
                self.action = action
                self.rule = rule
                self.reason = reason
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    action: wire.value("action"), rule: wire.value("rule"),
                    reason: wire.value("reason")
                )
            }

            package var members: [String: JSONValue] {
                ["action": action.json, "rule": rule.json, "reason": reason.json]
            }
        }

        package struct Enrollment: WireObject {
            package var stage: String
            package var status: Status
            package var secondsSinceCheckIn: Int
            package var block: String?
            package var blockReason: String?
            package var findings: [Finding]

            package init(
                stage: String, status: Status, secondsSinceCheckIn: Int,
                block: String? = nil, blockReason: String? = nil, findings: [Finding]
            ) {
                self.stage = stage
                self.status = status
                self.secondsSinceCheckIn = secondsSinceCheckIn
                self.block = block
                self.blockReason = blockReason
                self.findings = findings
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    stage: wire.value("stage"), status: wire.value("status"),
                    secondsSinceCheckIn: wire.value("secondsSinceCheckIn"),
                    block: wire.value("block"), blockReason: wire.value("blockReason"),
                    findings: wire.value("findings")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "stage": stage.json, "status": status.json,
                    "secondsSinceCheckIn": secondsSinceCheckIn.json, "block": block.json,
                    "blockReason": blockReason.json, "findings": findings.json
                ]
            }
        }

        package struct Register: VarlinkRequest {
            package static let method = "io.mamd.Enrollment.Register"
            package static let memberNames: Set<String> = [
                "name", "objectId", "passphrase", "passphraseDescriptor", "noPassphrase",
                "newKeys"
            ]

            package var name: String
            package var objectID: String?
            package var passphrase: String?
            package var passphraseDescriptor: Int?
            package var noPassphrase: Bool?
            package var newKeys: Bool?

            package init(
                name: String, objectID: String? = nil, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil, noPassphrase: Bool? = nil,
                newKeys: Bool? = nil
            ) {
                self.name = name
                self.objectID = objectID
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
                self.noPassphrase = noPassphrase
                self.newKeys = newKeys
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    name: wire.value("name"), objectID: wire.value("objectId"),
                    passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor"),
                    noPassphrase: wire.value("noPassphrase"), newKeys: wire.value("newKeys")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "name": name.json, "objectId": objectID.json, "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json,
                    "noPassphrase": noPassphrase.json, "newKeys": newKeys.json
                ]
            }

            package struct Reply: WireObject {
                package var status: Status

                package init(status: Status) {
                    self.status = status
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(status: wire.value("status"))
                }

                package var members: [String: JSONValue] { ["status": status.json] }
            }
        }

        package struct Login: VarlinkRequest {
            package static let method = "io.mamd.Enrollment.Login"
            package static let memberNames: Set<String> = [
                "account", "passphrase", "passphraseDescriptor"
            ]

            package var account: String?
            package var passphrase: String?
            package var passphraseDescriptor: Int?

            package init(
                account: String? = nil, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil
            ) {
                self.account = account
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json
                ]
            }

            package typealias Reply = Register.Reply
        }

        package struct Deregister: VarlinkRequest {
            package static let method = "io.mamd.Enrollment.Deregister"
            package static let memberNames: Set<String> = ["account", "wipe", "confirmed"]

            package var account: String
            package var wipe: Bool
            package var confirmed: Bool?

            package init(account: String, wipe: Bool, confirmed: Bool? = nil) {
                self.account = account
                self.wipe = wipe
                self.confirmed = confirmed
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), wipe: wire.value("wipe"),
                    confirmed: wire.value("confirmed")
                )
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "wipe": wipe.json, "confirmed": confirmed.json]
            }

            package struct Reply: WireObject {
                package var status: Status
                package var wiped: JSONValue?

                package init(status: Status, wiped: JSONValue? = nil) {
                    self.status = status
                    self.wiped = wiped
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(status: wire.value("status"), wiped: wire.value("wiped"))
                }

                package var members: [String: JSONValue] {
                    ["status": status.json, "wiped": wiped.json]
                }
            }
        }

        package struct CheckIn: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Enrollment.CheckIn"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var succeeded: Bool
                package var reason: String?

                package init(succeeded: Bool, reason: String? = nil) {
                    self.succeeded = succeeded
                    self.reason = reason
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(succeeded: wire.value("succeeded"), reason: wire.value("reason"))
                }

                package var members: [String: JSONValue] {
                    ["succeeded": succeeded.json, "reason": reason.json]
                }
            }
        }

        package struct List: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Enrollment.List"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var enrollments: [Enrollment]

                package init(enrollments: [Enrollment]) {
                    self.enrollments = enrollments
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(enrollments: wire.value("enrollments"))
                }

                package var members: [String: JSONValue] { ["enrollments": enrollments.json] }
            }
        }

        package struct AllowedAccounts: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Enrollment.AllowedAccounts"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var accounts: [String]?

                package init(accounts: [String]? = nil) {
                    self.accounts = accounts
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(accounts: wire.value("accounts"))
                }

                package var members: [String: JSONValue] { ["accounts": accounts.json] }
            }
        }

        package struct CheckCompliance: VarlinkRequest {
            package static let method = "io.mamd.Enrollment.CheckCompliance"
            package static let memberNames: Set<String> = ["account"]

            package var account: String?

            package init(account: String? = nil) {
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"))
            }

            package var members: [String: JSONValue] { ["account": account.json] }

            package struct Reply: WireObject {
                package var status: Int
                package var reason: String?

                package init(status: Int, reason: String? = nil) {
                    self.status = status
                    self.reason = reason
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(status: wire.value("status"), reason: wire.value("reason"))
                }

                package var members: [String: JSONValue] {
                    ["status": status.json, "reason": reason.json]
                }
            }
        }

        package struct UserStatus: VarlinkRequest {
            package static let method = "io.mamd.Enrollment.UserStatus"
            package static let memberNames: Set<String> = ["account"]

            package var account: String?

            package init(account: String? = nil) {
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"))
            }

            package var members: [String: JSONValue] { ["account": account.json] }

            package struct Reply: WireObject {
                package var status: Int

                package init(status: Int) {
                    self.status = status
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(status: wire.value("status"))
                }

                package var members: [String: JSONValue] { ["status": status.json] }
            }
        }

        package struct SetThreatLevel: VarlinkRequest {
            package static let method = "io.mamd.Enrollment.SetThreatLevel"
            package static let memberNames: Set<String> = ["level"]

            package var level: String?

            package init(level: String? = nil) {
                self.level = level
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(level: wire.value("level"))
            }

            package var members: [String: JSONValue] { ["level": level.json] }

            package typealias Reply = NoMembers
        }

        package struct AdvanceClock: VarlinkRequest {
            package static let method = "io.mamd.Enrollment.AdvanceClock"
            package static let memberNames: Set<String> = ["seconds"]

            package var seconds: Int

            package init(seconds: Int) {
                self.seconds = seconds
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(seconds: wire.value("seconds"))
            }

            package var members: [String: JSONValue] { ["seconds": seconds.json] }

            package typealias Reply = NoMembers
        }
    }
}

extension Varlink.Enrollment {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# The life of accounts: registering, enrolling, checking in, and the conditions for their use.
#
# A parameter whose name ends in Descriptor is the index of a file descriptor that is passed with
# the call (SCM_RIGHTS). account: by default the caller's only one. Errors are those of
# io.mamd.Workspace.
interface io.mamd.Enrollment

# statusCode: the number of IntuneMAMEnrollmentStatusCode; docs/ENROLLMENT.md lists them. Codes
# below 200 are successes.
type Status (
  identity: string,
  accountId: string,
  didSucceed: bool,
  statusCode: int,
  errorString: ?string
)

# A policy condition that is not met. action: warn, block, wipe; rule: the policy property
type Finding (
  action: string,
  rule: string,
  reason: string
)

# stage: registered, enrolled, signed-out; block: what keeps it closed: recheck, offline,
# offline-wipe, launch, passphrase, locked-out, clocked-out, signed-out
type Enrollment (
  stage: string,
  status: Status,
  secondsSinceCheckIn: int,
  block: ?string,
  blockReason: ?string,
  findings: []Finding
)

# Registers and enrols an account. A refusal is a status, too. Takes exactly one of passphrase,
# passphraseDescriptor, noPassphrase.
# newKeys: registers the account even if there are sealed files of that name whose keys are
# missing; otherwise the call fails with io.mamd.Workspace.SealedFiles.
method Register(
  name: string,
  objectId: ?string,
  passphrase: ?string,
  passphraseDescriptor: ?int,
  noPassphrase: ?bool,
  newKeys: ?bool
) -> (status: Status)

# Checks in, then unlocks the account with its passphrase: ends a lock-out after too many wrong
# ones, or after too long without a check-in. Registers a name that has no account here.
method Login(account: ?string, passphrase: ?string, passphraseDescriptor: ?int) -> (status: Status)

# Deregisters an account; status 213 if there is none. wipe: destroys its keys and files, too;
# otherwise its keys stay, sealed, and its files encrypted, until it is registered again with its
# passphrase.
# wiped: the reply of io.mamd.Workspace.Wipe; null without wipe. confirmed: as there, for a wipe.
method Deregister(account: string, wipe: bool, confirmed: ?bool) -> (status: Status, wiped: ?object)

# Reads the policies of all accounts now. For root and the daemon's user.
method CheckIn() -> (succeeded: bool, reason: ?string)

# The accounts that the caller may lock.
method List() -> (enrollments: []Enrollment)

# The accounts that may register here, by name or object id; null: any.
method AllowedAccounts() -> (accounts: ?[]string)

# status: 0 compliant, 1 not, 2 service failure, 3 network failure, 4 interaction required,
# 5 canceled
method CheckCompliance(account: ?string) -> (status: int, reason: ?string)

# status: 0 not configured, 1 unknown, 2 clocked in, 3 clocked out, 4 in and 5 out, but long ago
method UserStatus(account: ?string) -> (status: int)

# Sets the device's threat level, for the case that no probe determines it: high, medium, low,
# secured; null: unknown. For root and the daemon's user.
method SetThreatLevel(level: ?string) -> ()

# Advances the daemon's clock. Requires DebugSettingsEnabled. For root and the daemon's user.
method AdvanceClock(seconds: int) -> ()

"""
}
