// From docs/io.mamd.Policy.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Policy {
        package static let name = "io.mamd.Policy"

        package enum Method: String, Sendable, CaseIterable {
            case show = "Show"
            case check = "Check"
            case `import` = "Import"
            case ask = "Ask"
            case answers = "Answers"
            case canSave = "CanSave"
            case saveLocations = "SaveLocations"
            case canOpen = "CanOpen"
            case openLocations = "OpenLocations"
            case canReceive = "CanReceive"
            case shareTargets = "ShareTargets"
            case canOpenURL = "CanOpenURL"
            case canCopy = "CanCopy"
            case canPaste = "CanPaste"
            case canPickDocuments = "CanPickDocuments"
            case notificationPolicy = "NotificationPolicy"
            case managedAccounts = "ManagedAccounts"
            case managedPrograms = "ManagedPrograms"
            case sameIdentity = "SameIdentity"
            case isManaged = "IsManaged"
            case configuration = "Configuration"
            case configurationValue = "ConfigurationValue"
            case configurationConflict = "ConfigurationConflict"
            case metrics = "Metrics"
        }

        package struct Decision: WireObject {
            package var allowed: Bool
            package var reason: String
            package var words: [String]?
            package var rule: String?

            package init(
                allowed: Bool, reason: String, words: [String]? = nil, rule: String? = nil
            ) {
                self.allowed = allowed
                self.reason = reason
                self.words = words
                self.rule = rule
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    allowed: wire.value("allowed"), reason: wire.value("reason"),
                    words: wire.value("words"), rule: wire.value("rule")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "allowed": allowed.json, "reason": reason.json, "words": words.json,
                    "rule": rule.json
                ]
            }
        }

        package struct Answer: WireObject {
            package var question: String
            package var decision: Decision

            package init(question: String, decision: Decision) {
                self.question = question
                self.decision = decision
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    question: wire.value("question"), decision: wire.value("decision")
                )
            }

            package var members: [String: JSONValue] {
                ["question": question.json, "decision": decision.json]
            }
        }

        package struct LocationAnswer: WireObject {
            package var location: String
            package var value: Int
            package var decision: Decision

            package init(location: String, value: Int, decision: Decision) {
                self.location = location
                self.value = value
                self.decision = decision
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    location: wire.value("location"), value: wire.value("value"),
                    decision: wire.value("decision")
                )
            }

            package var members: [String: JSONValue] {
                ["location": location.json, "value": value.json, "decision": decision.json]
            }
        }

        package struct ShareTarget: WireObject {
            package var program: String
            package var managed: Bool
            package var sealed: Bool
            package var decision: Decision

            package init(program: String, managed: Bool, sealed: Bool, decision: Decision) {
                self.program = program
                self.managed = managed
                self.sealed = sealed
                self.decision = decision
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    program: wire.value("program"), managed: wire.value("managed"),
                    sealed: wire.value("sealed"), decision: wire.value("decision")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "program": program.json, "managed": managed.json, "sealed": sealed.json,
                    "decision": decision.json
                ]
            }
        }

        package struct Document: WireObject {
            package var name: String
            package var file: String?
            package var id: String?
            package var version: String?
            package var isDefault: Bool

            package init(
                name: String, file: String? = nil, id: String? = nil,
                version: String? = nil, isDefault: Bool
            ) {
                self.name = name
                self.file = file
                self.id = id
                self.version = version
                self.isDefault = isDefault
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    name: wire.value("name"), file: wire.value("file"), id: wire.value("id"),
                    version: wire.value("version"), isDefault: wire.value("isDefault")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "name": name.json, "file": file.json, "id": id.json,
                    "version": version.json, "isDefault": isDefault.json
                ]
            }
        }

        package typealias RefusedDocument = Varlink.Workspace.RefusedDocument

        package struct Finding: WireObject {
            package var line: Int?
            package var column: Int?
            package var severity: String
            package var key: String?
            package var reason: String

            package init(
                line: Int? = nil, column: Int? = nil, severity: String, key: String? = nil,
                reason: String
            ) {
                self.line = line
                self.column = column
                self.severity = severity
                self.key = key
                self.reason = reason
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    line: wire.value("line"), column: wire.value("column"),
                    severity: wire.value("severity"), key: wire.value("key"),
                    reason: wire.value("reason")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "line": line.json, "column": column.json, "severity": severity.json,
                    "key": key.json, "reason": reason.json
                ]
            }
        }

        package struct Coverage: WireObject {
            package var document: String
            package var accounts: [String]
            package var obstacle: String?
            package var next: String?

            package init(
                document: String, accounts: [String], obstacle: String? = nil,
                next: String? = nil
            ) {
                self.document = document
                self.accounts = accounts
                self.obstacle = obstacle
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    document: wire.value("document"), accounts: wire.value("accounts"),
                    obstacle: wire.value("obstacle"), next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "document": document.json, "accounts": accounts.json,
                    "obstacle": obstacle.json, "next": next.json
                ]
            }
        }

        package struct ManagedAccount: WireObject {
            package var name: String
            package var objectID: String

            package init(name: String, objectID: String) {
                self.name = name
                self.objectID = objectID
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(name: wire.value("name"), objectID: wire.value("objectId"))
            }

            package var members: [String: JSONValue] {
                ["name": name.json, "objectId": objectID.json]
            }
        }

        package struct Show: VarlinkRequest {
            package static let method = "io.mamd.Policy.Show"
            package static let memberNames: Set<String> = ["account", "accounts"]

            package var account: String?
            package var accounts: [String]?

            package init(account: String? = nil, accounts: [String]? = nil) {
                self.account = account
                self.accounts = accounts
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"), accounts: wire.value("accounts"))
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "accounts": accounts.json]
            }

            package struct Reply: WireObject {
                package var account: String
                package var managed: Bool
                package var rules: JSONValue
                package var documents: [Document]
                package var refused: [RefusedDocument]
                package var warnings: [String]

                package init(
                    account: String, managed: Bool, rules: JSONValue, documents: [Document],
                    refused: [RefusedDocument], warnings: [String]
                ) {
                    self.account = account
                    self.managed = managed
                    self.rules = rules
                    self.documents = documents
                    self.refused = refused
                    self.warnings = warnings
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        account: wire.value("account"), managed: wire.value("managed"),
                        rules: wire.value("rules"), documents: wire.value("documents"),
                        refused: wire.value("refused"), warnings: wire.value("warnings")
                    )
                }

                package var members: [String: JSONValue] {
                    [
                        "account": account.json, "managed": managed.json, "rules": rules.json,
                        "documents": documents.json, "refused": refused.json,
                        "warnings": warnings.json
                    ]
                }
            }
        }

        package struct Check: VarlinkRequest {
            package static let method = "io.mamd.Policy.Check"
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
                package var findings: [Finding]

                package init(findings: [Finding]) {
                    self.findings = findings
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(findings: wire.value("findings"))
                }

                package var members: [String: JSONValue] { ["findings": findings.json] }
            }
        }

        package struct Closure: WireObject {
            package var account: String
            package var reason: String

            package init(account: String, reason: String) {
                self.account = account
                self.reason = reason
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"), reason: wire.value("reason"))
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "reason": reason.json]
            }
        }

        package struct Import: VarlinkRequest {
            package static let method = "io.mamd.Policy.Import"
            package static let memberNames: Set<String> = ["name", "document", "dryRun"]

            package var name: String
            package var document: String
            package var dryRun: Bool?

            package init(name: String, document: String, dryRun: Bool? = nil) {
                self.name = name
                self.document = document
                self.dryRun = dryRun
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    name: wire.value("name"), document: wire.value("document"),
                    dryRun: wire.value("dryRun")
                )
            }

            package var members: [String: JSONValue] {
                ["name": name.json, "document": document.json, "dryRun": dryRun.json]
            }

            package struct Reply: WireObject {
                package var documents: [String]
                package var coverage: [Coverage]
                package var warnings: [String]
                package var closes: [Closure]?

                package init(
                    documents: [String], coverage: [Coverage], warnings: [String],
                    closes: [Closure]? = nil
                ) {
                    self.documents = documents
                    self.coverage = coverage
                    self.warnings = warnings
                    self.closes = closes
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        documents: wire.value("documents"), coverage: wire.value("coverage"),
                        warnings: wire.value("warnings"), closes: wire.value("closes")
                    )
                }

                package var members: [String: JSONValue] {
                    [
                        "documents": documents.json, "coverage": coverage.json,
                        "warnings": warnings.json, "closes": closes.json
                    ]
                }
            }
        }

        package struct Ask: VarlinkRequest {
            package static let method = "io.mamd.Policy.Ask"
            package static let memberNames: Set<String> = [
                "question", "account", "accounts"
            ]

            package var question: String
            package var account: String?
            package var accounts: [String]?

            package init(
                question: String, account: String? = nil, accounts: [String]? = nil
            ) {
                self.question = question
                self.account = account
                self.accounts = accounts
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    question: wire.value("question"), account: wire.value("account"),
                    accounts: wire.value("accounts")
                )
            }

            package var members: [String: JSONValue] {
                ["question": question.json, "account": account.json, "accounts": accounts.json]
            }

            package struct Reply: WireObject {
                package var decision: Decision

                package init(decision: Decision) {
                    self.decision = decision
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(decision: wire.value("decision"))
                }

                package var members: [String: JSONValue] { ["decision": decision.json] }
            }
        }

        package struct Answers: VarlinkRequest {
            package static let method = "io.mamd.Policy.Answers"
            package static let memberNames: Set<String> = ["account", "accounts"]

            package var account: String?
            package var accounts: [String]?

            package init(account: String? = nil, accounts: [String]? = nil) {
                self.account = account
                self.accounts = accounts
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"), accounts: wire.value("accounts"))
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "accounts": accounts.json]
            }

            package struct Reply: WireObject {
                package var account: String
                package var answers: [Answer]

                package init(account: String, answers: [Answer]) {
                    self.account = account
                    self.answers = answers
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(account: wire.value("account"), answers: wire.value("answers"))
                }

                package var members: [String: JSONValue] {
                    ["account": account.json, "answers": answers.json]
                }
            }
        }

        package struct CanSave: VarlinkRequest {
            package static let method = "io.mamd.Policy.CanSave"
            package static let memberNames: Set<String> = [
                "location", "owner", "path", "fileDescriptor", "account"
            ]

            package var location: String
            package var owner: String?
            package var path: String?
            package var fileDescriptor: Int?
            package var account: String?

            package init(
                location: String, owner: String? = nil, path: String? = nil,
                fileDescriptor: Int? = nil, account: String? = nil
            ) {
                self.location = location
                self.owner = owner
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    location: wire.value("location"), owner: wire.value("owner"),
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    account: wire.value("account")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "location": location.json, "owner": owner.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json, "account": account.json
                ]
            }

            package typealias Reply = Ask.Reply
        }

        package struct SaveLocations: VarlinkRequest {
            package static let method = "io.mamd.Policy.SaveLocations"
            package static let memberNames: Set<String> = [
                "owner", "path", "fileDescriptor", "account"
            ]

            package var owner: String?
            package var path: String?
            package var fileDescriptor: Int?
            package var account: String?

            package init(
                owner: String? = nil, path: String? = nil, fileDescriptor: Int? = nil,
                account: String? = nil
            ) {
                self.owner = owner
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), path: wire.value("path"),
                    fileDescriptor: wire.value("fileDescriptor"), account: wire.value("account")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json, "account": account.json
                ]
            }

            package struct Reply: WireObject {
                package var locations: [LocationAnswer]

                package init(locations: [LocationAnswer]) {
                    self.locations = locations
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(locations: wire.value("locations"))
                }

                package var members: [String: JSONValue] { ["locations": locations.json] }
            }
        }

        package struct CanOpen: VarlinkRequest {
            package static let method = "io.mamd.Policy.CanOpen"
            package static let memberNames: Set<String> = [
                "location", "receiver", "account"
            ]

            package var location: String
            package var receiver: String?
            package var account: String?

            package init(
                location: String, receiver: String? = nil, account: String? = nil
            ) {
                self.location = location
                self.receiver = receiver
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    location: wire.value("location"), receiver: wire.value("receiver"),
                    account: wire.value("account")
                )
            }

            package var members: [String: JSONValue] {
                ["location": location.json, "receiver": receiver.json, "account": account.json]
            }

            package typealias Reply = Ask.Reply
        }

        package struct OpenLocations: VarlinkRequest {
            package static let method = "io.mamd.Policy.OpenLocations"
            package static let memberNames: Set<String> = ["receiver", "account"]

            package var receiver: String?
            package var account: String?

            package init(receiver: String? = nil, account: String? = nil) {
                self.receiver = receiver
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(receiver: wire.value("receiver"), account: wire.value("account"))
            }

            package var members: [String: JSONValue] {
                ["receiver": receiver.json, "account": account.json]
            }

            package typealias Reply = SaveLocations.Reply
        }

        package struct CanReceive: VarlinkRequest {
            package static let method = "io.mamd.Policy.CanReceive"
            package static let memberNames: Set<String> = [
                "owner", "path", "fileDescriptor", "item", "account"
            ]

            package var owner: String?
            package var path: String?
            package var fileDescriptor: Int?
            package var item: Bool?
            package var account: String?

            package init(
                owner: String? = nil, path: String? = nil, fileDescriptor: Int? = nil,
                item: Bool? = nil, account: String? = nil
            ) {
                self.owner = owner
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.item = item
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), path: wire.value("path"),
                    fileDescriptor: wire.value("fileDescriptor"), item: wire.value("item"),
                    account: wire.value("account")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json, "item": item.json,
                    "account": account.json
                ]
            }

            package struct Reply: WireObject {
                package var decision: Decision
                package var becomesReceivers: Bool

                package init(decision: Decision, becomesReceivers: Bool) {
                    self.decision = decision
                    self.becomesReceivers = becomesReceivers
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        decision: wire.value("decision"),
                        becomesReceivers: wire.value("becomesReceivers")
                    )
                }

                package var members: [String: JSONValue] {
                    ["decision": decision.json, "becomesReceivers": becomesReceivers.json]
                }
            }
        }

        package struct ShareTargets: VarlinkRequest {
            package static let method = "io.mamd.Policy.ShareTargets"
            package static let memberNames: Set<String> = ["programs", "account"]

            package var programs: [String]
            package var account: String?

            package init(programs: [String], account: String? = nil) {
                self.programs = programs
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(programs: wire.value("programs"), account: wire.value("account"))
            }

            package var members: [String: JSONValue] {
                ["programs": programs.json, "account": account.json]
            }

            package struct Reply: WireObject {
                package var targets: [ShareTarget]

                package init(targets: [ShareTarget]) {
                    self.targets = targets
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(targets: wire.value("targets"))
                }

                package var members: [String: JSONValue] { ["targets": targets.json] }
            }
        }

        package struct CanOpenURL: VarlinkRequest {
            package static let method = "io.mamd.Policy.CanOpenURL"
            package static let memberNames: Set<String> = [
                "url", "account", "knownManagedScheme", "universal"
            ]

            package var url: String
            package var account: String?
            package var knownManagedScheme: Bool?
            package var universal: Bool?

            package init(
                url: String, account: String? = nil, knownManagedScheme: Bool? = nil,
                universal: Bool? = nil
            ) {
                self.url = url
                self.account = account
                self.knownManagedScheme = knownManagedScheme
                self.universal = universal
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    url: wire.value("url"), account: wire.value("account"),
                    knownManagedScheme: wire.value("knownManagedScheme"),
                    universal: wire.value("universal")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "url": url.json, "account": account.json,
                    "knownManagedScheme": knownManagedScheme.json, "universal": universal.json
                ]
            }

            package struct Reply: WireObject {
                package var decision: Decision
                package var opens: String?

                package init(decision: Decision, opens: String? = nil) {
                    self.decision = decision
                    self.opens = opens
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(decision: wire.value("decision"), opens: wire.value("opens"))
                }

                package var members: [String: JSONValue] {
                    ["decision": decision.json, "opens": opens.json]
                }
            }
        }

        package struct CanCopy: VarlinkRequest {
            package static let method = "io.mamd.Policy.CanCopy"
            package static let memberNames: Set<String> = ["count", "account", "target"]

            package var count: Int
            package var account: String?
            package var target: String?

            package init(count: Int, account: String? = nil, target: String? = nil) {
                self.count = count
                self.account = account
                self.target = target
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    count: wire.value("count"), account: wire.value("account"),
                    target: wire.value("target")
                )
            }

            package var members: [String: JSONValue] {
                ["count": count.json, "account": account.json, "target": target.json]
            }

            package typealias Reply = Ask.Reply
        }

        package struct CanPaste: VarlinkRequest {
            package static let method = "io.mamd.Policy.CanPaste"
            package static let memberNames: Set<String> = ["count", "account", "source"]

            package var count: Int
            package var account: String?
            package var source: String?

            package init(count: Int, account: String? = nil, source: String? = nil) {
                self.count = count
                self.account = account
                self.source = source
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    count: wire.value("count"), account: wire.value("account"),
                    source: wire.value("source")
                )
            }

            package var members: [String: JSONValue] {
                ["count": count.json, "account": account.json, "source": source.json]
            }

            package typealias Reply = Ask.Reply
        }

        package struct CanPickDocuments: VarlinkRequest {
            package static let method = "io.mamd.Policy.CanPickDocuments"
            package static let memberNames: Set<String> = ["mode", "account"]

            package var mode: String
            package var account: String?

            package init(mode: String, account: String? = nil) {
                self.mode = mode
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(mode: wire.value("mode"), account: wire.value("account"))
            }

            package var members: [String: JSONValue] {
                ["mode": mode.json, "account": account.json]
            }

            package typealias Reply = Ask.Reply
        }

        package struct NotificationPolicy: VarlinkRequest {
            package static let method = "io.mamd.Policy.NotificationPolicy"
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
                package var policy: Int
                package var name: String

                package init(policy: Int, name: String) {
                    self.policy = policy
                    self.name = name
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(policy: wire.value("policy"), name: wire.value("name"))
                }

                package var members: [String: JSONValue] {
                    ["policy": policy.json, "name": name.json]
                }
            }
        }

        package struct ManagedAccounts: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Policy.ManagedAccounts"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var accounts: [ManagedAccount]
                package var primary: ManagedAccount?
                package var managementEnabled: Bool

                package init(
                    accounts: [ManagedAccount], primary: ManagedAccount? = nil,
                    managementEnabled: Bool
                ) {
                    self.accounts = accounts
                    self.primary = primary
                    self.managementEnabled = managementEnabled
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        accounts: wire.value("accounts"), primary: wire.value("primary"),
                        managementEnabled: wire.value("managementEnabled")
                    )
                }

                package var members: [String: JSONValue] {
                    [
                        "accounts": accounts.json, "primary": primary.json,
                        "managementEnabled": managementEnabled.json
                    ]
                }
            }
        }

        package struct ManagedPrograms: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Policy.ManagedPrograms"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var programs: [String]

                package init(programs: [String]) {
                    self.programs = programs
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(programs: wire.value("programs"))
                }

                package var members: [String: JSONValue] { ["programs": programs.json] }
            }
        }

        package struct SameIdentity: VarlinkRequest {
            package static let method = "io.mamd.Policy.SameIdentity"
            package static let memberNames: Set<String> = ["first", "second"]

            package var first: String?
            package var second: String?

            package init(first: String? = nil, second: String? = nil) {
                self.first = first
                self.second = second
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(first: wire.value("first"), second: wire.value("second"))
            }

            package var members: [String: JSONValue] {
                ["first": first.json, "second": second.json]
            }

            package struct Reply: WireObject {
                package var same: Bool

                package init(same: Bool) {
                    self.same = same
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(same: wire.value("same"))
                }

                package var members: [String: JSONValue] { ["same": same.json] }
            }
        }

        package struct IsManaged: VarlinkRequest {
            package static let method = "io.mamd.Policy.IsManaged"
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
                package var managed: Bool

                package init(managed: Bool) {
                    self.managed = managed
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(managed: wire.value("managed"))
                }

                package var members: [String: JSONValue] { ["managed": managed.json] }
            }
        }

        package struct Configuration: VarlinkRequest {
            package static let method = "io.mamd.Policy.Configuration"
            package static let memberNames: Set<String> = ["accounts"]

            package var accounts: [String]?

            package init(accounts: [String]? = nil) {
                self.accounts = accounts
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(accounts: wire.value("accounts"))
            }

            package var members: [String: JSONValue] { ["accounts": accounts.json] }

            package struct Reply: WireObject {
                package var fullData: [JSONValue]

                package init(fullData: [JSONValue]) {
                    self.fullData = fullData
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(fullData: wire.value("fullData"))
                }

                package var members: [String: JSONValue] { ["fullData": fullData.json] }
            }
        }

        package struct ConfigurationValue: VarlinkRequest {
            package static let method = "io.mamd.Policy.ConfigurationValue"
            package static let memberNames: Set<String> = [
                "key", "type", "query", "account"
            ]

            package var key: String
            package var type: String?
            package var query: String?
            package var account: String?

            package init(
                key: String, type: String? = nil, query: String? = nil,
                account: String? = nil
            ) {
                self.key = key
                self.type = type
                self.query = query
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    key: wire.value("key"), type: wire.value("type"),
                    query: wire.value("query"), account: wire.value("account")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "key": key.json, "type": type.json, "query": query.json,
                    "account": account.json
                ]
            }

            package struct Reply: WireObject {
                package var value: JSONValue?
                package var all: [JSONValue]

                package init(value: JSONValue? = nil, all: [JSONValue]) {
                    self.value = value
                    self.all = all
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(value: wire.value("value"), all: wire.value("all"))
                }

                package var members: [String: JSONValue] { ["value": value.json, "all": all.json] }
            }
        }

        package struct ConfigurationConflict: VarlinkRequest {
            package static let method = "io.mamd.Policy.ConfigurationConflict"
            package static let memberNames: Set<String> = ["key", "account"]

            package var key: String
            package var account: String?

            package init(key: String, account: String? = nil) {
                self.key = key
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(key: wire.value("key"), account: wire.value("account"))
            }

            package var members: [String: JSONValue] {
                ["key": key.json, "account": account.json]
            }

            package struct Reply: WireObject {
                package var conflict: Bool

                package init(conflict: Bool) {
                    self.conflict = conflict
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(conflict: wire.value("conflict"))
                }

                package var members: [String: JSONValue] { ["conflict": conflict.json] }
            }
        }

        package struct Metrics: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Policy.Metrics"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var text: String

                package init(text: String) {
                    self.text = text
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(text: wire.value("text"))
                }

                package var members: [String: JSONValue] { ["text": text.json] }
            }
        }
    }
}

extension Varlink.Policy {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# Policy decisions, for programs that can act on them; and the policy documents.
#
# account: a name or object id; by default the identity that the calling process acts for. An
# identity that is not managed has no restrictions. Questions about an account are answered for
# root, the daemon's user and the user who registered it. Errors are those of io.mamd.Workspace.
# A parameter whose name ends in Descriptor is the index of a file descriptor that is passed with
# the call.
interface io.mamd.Policy

# reason: one sentence; words: its words, as in errors of io.mamd.Workspace; rule: the policy
# property that decided, as Microsoft Graph names it
type Decision (
  allowed: bool,
  reason: string,
  words: ?[]string,
  rule: ?string
)

type Answer (
  question: string,
  decision: Decision
)

# value: the SDK's number, which differs between the two enumerations
type LocationAnswer (
  location: string,
  value: int,
  decision: Decision
)

# sealed: the program gets the file as it is on disk, which only managed programs can read
type ShareTarget (
  program: string,
  managed: bool,
  sealed: bool,
  decision: Decision
)

type Document (
  name: string,
  file: ?string,
  id: ?string,
  version: ?string,
  isDefault: bool
)

# since, inForceSince: seconds since 1970. lastGoodInForce: the file's previous content stays in
# force; inForce: the documents in it
type RefusedDocument (
  file: string,
  reason: string,
  since: int,
  lastGoodInForce: bool,
  inForce: ?string,
  inForceSince: ?int
)

# severity: error, warning; line: from 1, null in a property list; key: null if no key is wrong
type Finding (
  line: ?int,
  column: ?int,
  severity: string,
  key: ?string,
  reason: string
)

# The accounts for which a document is in force. obstacle: why there are none; next: the remedy
type Coverage (
  document: string,
  accounts: []string,
  obstacle: ?string,
  next: ?string
)

type ManagedAccount (
  name: string,
  objectId: string
)

# The rules in force: for each property its value, the documents that set it, and those that ask
# for something looser. accounts: the most restrictive rules of several. refused and warnings are
# only for root and the daemon's user.
method Show(
  account: ?string,
  accounts: ?[]string
) -> (
  account: string,
  managed: bool,
  rules: object,
  documents: []Document,
  refused: []RefusedDocument,
  warnings: []string
)

# Checks the text of a document, and returns the first 1000 findings. Changes nothing. Documents
# over 256 KiB are only for root and the daemon's user.
method Check(document: string) -> (findings: []Finding)

# An account that nothing has closed, and why a document closes it.
type Closure (account: string, reason: string)

# Puts a document into the policy directory and into force. For root and the daemon's user.
# name: the file's, ending in .json. dryRun: only returns what the effect would be. closes: omitted
# by an earlier daemon.
method Import(
  name: string,
  document: string,
  dryRun: ?bool
) -> (documents: []string, coverage: []Coverage, warnings: []string, closes: ?[]Closure)

# Answers one question of IntuneMAMPolicy by its name, such as isContactSyncAllowed.
method Ask(question: string, account: ?string, accounts: ?[]string) -> (decision: Decision)

# Answers all of them.
method Answers(account: ?string, accounts: ?[]string) -> (account: string, answers: []Answer)

# Whether data of an owner (by name, or of a file; by default the caller's identity) may be saved
# at a location that belongs to account. null: to no managed account.
method CanSave(
  location: string,
  owner: ?string,
  path: ?string,
  fileDescriptor: ?int,
  account: ?string
) -> (decision: Decision)

method SaveLocations(
  owner: ?string,
  path: ?string,
  fileDescriptor: ?int,
  account: ?string
) -> (locations: []LocationAnswer)

# Whether the receiver (by default the caller's identity) may take data from a location that
# belongs to account.
method CanOpen(location: string, receiver: ?string, account: ?string) -> (decision: Decision)

method OpenLocations(receiver: ?string, account: ?string) -> (locations: []LocationAnswer)

# Whether account may receive a file, or with item a shared item, of an owner. Without an owner the
# file has none. becomesReceivers: policy gives it to the receiver, and a file of the mount has just
# become so; what is elsewhere, the caller has to give.
method CanReceive(
  owner: ?string,
  path: ?string,
  fileDescriptor: ?int,
  item: ?bool,
  account: ?string
) -> (decision: Decision, becomesReceivers: bool)

# Which programs, by absolute path, may be offered data of the account.
method ShareTargets(programs: []string, account: ?string) -> (targets: []ShareTarget)

# opens: the URL to open, which may be another one; null if none may be opened. universal: only as
# a universal link.
method CanOpenURL(
  url: string,
  account: ?string,
  knownManagedScheme: ?bool,
  universal: ?bool
) -> (decision: Decision, opens: ?string)

# Whether so many characters may be copied for target. null: for all programs.
method CanCopy(count: int, account: ?string, target: ?string) -> (decision: Decision)

method CanPaste(count: int, account: ?string, source: ?string) -> (decision: Decision)

# mode: import, open, exportToService, moveToService
method CanPickDocuments(mode: string, account: ?string) -> (decision: Decision)

# 0 allow, 1 blockOrganizationalData: a notification that hides the content, 2 block
method NotificationPolicy(account: ?string) -> (policy: int, name: string)

# The accounts that the caller controls, without deregistered ones. primary: the only one that the
# caller registered. managementEnabled: policy covers one of them, or is required.
method ManagedAccounts() -> (
  accounts: []ManagedAccount,
  primary: ?ManagedAccount,
  managementEnabled: bool
)

# The setting ManagedPrograms: absolute paths.
method ManagedPrograms() -> (programs: []string)

# Ignores case; an account's name and object id are the same identity. null: nobody
method SameIdentity(first: ?string, second: ?string) -> (same: bool)

method IsManaged(account: ?string) -> (managed: bool)

# The organisation's app configuration for the accounts: one object for each configuration; the
# tenant's default has __IsDefault.
method Configuration(accounts: ?[]string) -> (fullData: []object)

# type: string (default), bool, number. query: any (default); or, and for bool; min, max for the
# others. value: null if there is none.
method ConfigurationValue(
  key: string,
  type: ?string,
  query: ?string,
  account: ?string
) -> (value: ?object, all: []object)

# True if the account has several values that differ.
method ConfigurationConflict(key: string, account: ?string) -> (conflict: bool)

# Counters of this daemon as OpenMetrics text. Refused with MAMTelemetryDisabled.
method Metrics() -> (text: string)

"""
}
