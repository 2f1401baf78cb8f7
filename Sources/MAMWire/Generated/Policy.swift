// From docs/io.mamd.Policy.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink { package enum Policy {} }
extension Varlink.Policy {
    package static let name = "io.mamd.Policy"
    package enum Method: String, Sendable, CaseIterable {
        case show = "Show", check = "Check", `import` = "Import", ask = "Ask", answers = "Answers",
            canSave = "CanSave", saveLocations = "SaveLocations", canOpen = "CanOpen",
            openLocations = "OpenLocations", canReceive = "CanReceive",
            shareTargets = "ShareTargets", canOpenURL = "CanOpenURL", canCopy = "CanCopy",
            canPaste = "CanPaste", canPickDocuments = "CanPickDocuments",
            notificationPolicy = "NotificationPolicy", managedAccounts = "ManagedAccounts",
            managedPrograms = "ManagedPrograms", sameIdentity = "SameIdentity",
            isManaged = "IsManaged", configuration = "Configuration",
            configurationValue = "ConfigurationValue",
            configurationConflict = "ConfigurationConflict", metrics = "Metrics"
    }

    package struct Decision: WireObject, Equatable {
        package var allowed: Bool, reason: String, words: [String]?, rule: String?
        package init(allowed: Bool, reason: String, words: [String]? = nil, rule: String? = nil) {
            (self.allowed, self.reason, self.words, self.rule) = (allowed, reason, words, rule)
        }
        package static let codec = Codec(Self.init, ("allowed", \.allowed), ("reason", \.reason),
            ("words", \.words), ("rule", \.rule))
    }

    package struct Answer: WireObject, Equatable {
        package var question: String, decision: Decision
        package init(question: String, decision: Decision) {
            (self.question, self.decision) = (question, decision)
        }
        package static let codec = Codec(Self.init, ("question", \.question),
            ("decision", \.decision))
    }

    package struct LocationAnswer: WireObject, Equatable {
        package var location: String, value: Int, decision: Decision
        package init(location: String, value: Int, decision: Decision) {
            (self.location, self.value, self.decision) = (location, value, decision)
        }
        package static let codec = Codec(Self.init, ("location", \.location), ("value", \.value),
            ("decision", \.decision))
    }

    package struct ShareTarget: WireObject, Equatable {
        package var program: String, managed: Bool, sealed: Bool, decision: Decision
        package init(program: String, managed: Bool, sealed: Bool, decision: Decision) {
            (self.program, self.managed, self.sealed, self.decision) = (program, managed, sealed,
                decision)
        }
        package static let codec = Codec(Self.init, ("program", \.program), ("managed", \.managed),
            ("sealed", \.sealed), ("decision", \.decision))
    }

    package struct Document: WireObject, Equatable {
        package var name: String, file: String?, id: String?, version: String?, isDefault: Bool
        package init(name: String, file: String? = nil, id: String? = nil, version: String? = nil,
            isDefault: Bool) {
            (self.name, self.file, self.id, self.version, self.isDefault) = (name, file, id,
                version, isDefault)
        }
        package static let codec = Codec(Self.init, ("name", \.name), ("file", \.file),
            ("id", \.id), ("version", \.version), ("isDefault", \.isDefault))
    }

    package typealias RefusedDocument = Varlink.Workspace.RefusedDocument

    package enum Severity: String, WireWord { case error, warning }

    package struct Finding: WireObject, Equatable {
        package var line: Int?, column: Int?, severity: Severity, key: String?, reason: String
        package init(line: Int? = nil, column: Int? = nil, severity: Severity, key: String? = nil,
            reason: String) {
            (self.line, self.column, self.severity, self.key, self.reason) = (line, column,
                severity, key, reason)
        }
        package static let codec = Codec(Self.init, ("line", \.line), ("column", \.column),
            ("severity", \.severity), ("key", \.key), ("reason", \.reason))
    }

    package struct Coverage: WireObject, Equatable {
        package var document: String, accounts: [String], obstacle: String?, next: String?
        package init(document: String, accounts: [String], obstacle: String? = nil,
            next: String? = nil) {
            (self.document, self.accounts, self.obstacle, self.next) = (document, accounts,
                obstacle, next)
        }
        package static let codec = Codec(Self.init, ("document", \.document),
            ("accounts", \.accounts), ("obstacle", \.obstacle), ("next", \.next))
    }

    package struct ManagedAccount: WireObject, Equatable {
        package var name: String, objectID: String
        package init(name: String, objectID: String) {
            (self.name, self.objectID) = (name, objectID)
        }
        package static let codec = Codec(Self.init, ("name", \.name), ("objectId", \.objectID))
    }

    package struct Show: VarlinkRequest {
        package var account: String?, accounts: [String]?
        package init(account: String? = nil, accounts: [String]? = nil) {
            (self.account, self.accounts) = (account, accounts)
        }
        package static let codec = Codec(Self.init, ("account", \.account),
            ("accounts", \.accounts))
        package struct Reply: WireObject {
            package var account: String, managed: Bool, rules: JSONValue, documents: [Document],
                refused: [RefusedDocument], warnings: [String]
            package init(account: String, managed: Bool, rules: JSONValue, documents: [Document],
                refused: [RefusedDocument], warnings: [String]) {
                (self.account, self.managed, self.rules, self.documents, self.refused,
                    self.warnings) = (account, managed, rules, documents, refused, warnings)
            }
            package static let codec = Codec(Self.init, ("account", \.account),
                ("managed", \.managed), ("rules", \.rules), ("documents", \.documents),
                ("refused", \.refused), ("warnings", \.warnings))
        }
    }

    package struct Check: VarlinkRequest {
        package var document: String
        package init(document: String) { self.document = document }
        package static let codec = Codec(Self.init, ("document", \.document))
        package struct Reply: WireObject {
            package var findings: [Finding]
            package init(findings: [Finding]) { self.findings = findings }
            package static let codec = Codec(Self.init, ("findings", \.findings))
        }
    }

    package struct Closure: WireObject, Equatable {
        package var account: String, reason: String
        package init(account: String, reason: String) {
            (self.account, self.reason) = (account, reason)
        }
        package static let codec = Codec(Self.init, ("account", \.account), ("reason", \.reason))
    }

    package struct Import: VarlinkRequest {
        package var name: String, document: String, dryRun: Bool?
        package init(name: String, document: String, dryRun: Bool? = nil) {
            (self.name, self.document, self.dryRun) = (name, document, dryRun)
        }
        package static let codec = Codec(Self.init, ("name", \.name), ("document", \.document),
            ("dryRun", \.dryRun))
        package struct Reply: WireObject {
            package var documents: [String], coverage: [Coverage], warnings: [String],
                closes: [Closure]?
            package init(documents: [String], coverage: [Coverage], warnings: [String],
                closes: [Closure]? = nil) {
                (self.documents, self.coverage, self.warnings, self.closes) = (documents, coverage,
                    warnings, closes)
            }
            package static let codec = Codec(Self.init, ("documents", \.documents),
                ("coverage", \.coverage), ("warnings", \.warnings), ("closes", \.closes))
        }
    }

    package struct Ask: VarlinkRequest {
        package var question: String, account: String?, accounts: [String]?
        package init(question: String, account: String? = nil, accounts: [String]? = nil) {
            (self.question, self.account, self.accounts) = (question, account, accounts)
        }
        package static let codec = Codec(Self.init, ("question", \.question),
            ("account", \.account), ("accounts", \.accounts))
        package struct Reply: WireObject {
            package var decision: Decision
            package init(decision: Decision) { self.decision = decision }
            package static let codec = Codec(Self.init, ("decision", \.decision))
        }
    }

    package struct Answers: VarlinkRequest {
        package var account: String?, accounts: [String]?
        package init(account: String? = nil, accounts: [String]? = nil) {
            (self.account, self.accounts) = (account, accounts)
        }
        package static let codec = Codec(Self.init, ("account", \.account),
            ("accounts", \.accounts))
        package struct Reply: WireObject {
            package var account: String, answers: [Answer]
            package init(account: String, answers: [Answer]) {
                (self.account, self.answers) = (account, answers)
            }
            package static let codec = Codec(Self.init, ("account", \.account),
                ("answers", \.answers))
        }
    }

    package struct CanSave: VarlinkRequest {
        package var location: String, owner: String?, path: String?, fileDescriptor: Int?,
            account: String?
        package init(location: String, owner: String? = nil, path: String? = nil,
            fileDescriptor: Int? = nil, account: String? = nil) {
            (self.location, self.owner, self.path, self.fileDescriptor, self.account) = (location,
                owner, path, fileDescriptor, account)
        }
        package static let codec = Codec(Self.init, ("location", \.location), ("owner", \.owner),
            ("path", \.path), ("fileDescriptor", \.fileDescriptor), ("account", \.account))
        package typealias Reply = Ask.Reply
    }

    package struct SaveLocations: VarlinkRequest {
        package var owner: String?, path: String?, fileDescriptor: Int?, account: String?
        package init(owner: String? = nil, path: String? = nil, fileDescriptor: Int? = nil,
            account: String? = nil) {
            (self.owner, self.path, self.fileDescriptor, self.account) = (owner, path,
                fileDescriptor, account)
        }
        package static let codec = Codec(Self.init, ("owner", \.owner), ("path", \.path),
            ("fileDescriptor", \.fileDescriptor), ("account", \.account))
        package struct Reply: WireObject {
            package var locations: [LocationAnswer]
            package init(locations: [LocationAnswer]) { self.locations = locations }
            package static let codec = Codec(Self.init, ("locations", \.locations))
        }
    }

    package struct CanOpen: VarlinkRequest {
        package var location: String, receiver: String?, account: String?
        package init(location: String, receiver: String? = nil, account: String? = nil) {
            (self.location, self.receiver, self.account) = (location, receiver, account)
        }
        package static let codec = Codec(Self.init, ("location", \.location),
            ("receiver", \.receiver), ("account", \.account))
        package typealias Reply = Ask.Reply
    }

    package struct OpenLocations: VarlinkRequest {
        package var receiver: String?, account: String?
        package init(receiver: String? = nil, account: String? = nil) {
            (self.receiver, self.account) = (receiver, account)
        }
        package static let codec = Codec(Self.init, ("receiver", \.receiver),
            ("account", \.account))
        package typealias Reply = SaveLocations.Reply
    }

    package struct CanReceive: VarlinkRequest {
        package var owner: String?, path: String?, fileDescriptor: Int?, item: Bool?,
            account: String?
        package init(owner: String? = nil, path: String? = nil, fileDescriptor: Int? = nil,
            item: Bool? = nil, account: String? = nil) {
            (self.owner, self.path, self.fileDescriptor, self.item, self.account) = (owner, path,
                fileDescriptor, item, account)
        }
        package static let codec = Codec(Self.init, ("owner", \.owner), ("path", \.path),
            ("fileDescriptor", \.fileDescriptor), ("item", \.item), ("account", \.account))
        package struct Reply: WireObject {
            package var decision: Decision, becomesReceivers: Bool
            package init(decision: Decision, becomesReceivers: Bool) {
                (self.decision, self.becomesReceivers) = (decision, becomesReceivers)
            }
            package static let codec = Codec(Self.init, ("decision", \.decision),
                ("becomesReceivers", \.becomesReceivers))
        }
    }

    package struct ShareTargets: VarlinkRequest {
        package var programs: [String], account: String?
        package init(programs: [String], account: String? = nil) {
            (self.programs, self.account) = (programs, account)
        }
        package static let codec = Codec(Self.init, ("programs", \.programs),
            ("account", \.account))
        package struct Reply: WireObject {
            package var targets: [ShareTarget]
            package init(targets: [ShareTarget]) { self.targets = targets }
            package static let codec = Codec(Self.init, ("targets", \.targets))
        }
    }

    package struct CanOpenURL: VarlinkRequest {
        package var url: String, account: String?, knownManagedScheme: Bool?, universal: Bool?
        package init(url: String, account: String? = nil, knownManagedScheme: Bool? = nil,
            universal: Bool? = nil) {
            (self.url, self.account, self.knownManagedScheme, self.universal) = (url, account,
                knownManagedScheme, universal)
        }
        package static let codec = Codec(Self.init, ("url", \.url), ("account", \.account),
            ("knownManagedScheme", \.knownManagedScheme), ("universal", \.universal))
        package struct Reply: WireObject {
            package var decision: Decision, opens: String?
            package init(decision: Decision, opens: String? = nil) {
                (self.decision, self.opens) = (decision, opens)
            }
            package static let codec = Codec(Self.init, ("decision", \.decision),
                ("opens", \.opens))
        }
    }

    package struct CanCopy: VarlinkRequest {
        package var count: Int, account: String?, target: String?
        package init(count: Int, account: String? = nil, target: String? = nil) {
            (self.count, self.account, self.target) = (count, account, target)
        }
        package static let codec = Codec(Self.init, ("count", \.count), ("account", \.account),
            ("target", \.target))
        package typealias Reply = Ask.Reply
    }

    package struct CanPaste: VarlinkRequest {
        package var count: Int, account: String?, source: String?
        package init(count: Int, account: String? = nil, source: String? = nil) {
            (self.count, self.account, self.source) = (count, account, source)
        }
        package static let codec = Codec(Self.init, ("count", \.count), ("account", \.account),
            ("source", \.source))
        package typealias Reply = Ask.Reply
    }

    package enum PickerMode: String, WireWord {
        case `import`, open, exportToService, moveToService
    }

    package struct CanPickDocuments: VarlinkRequest {
        package var mode: PickerMode, account: String?
        package init(mode: PickerMode, account: String? = nil) {
            (self.mode, self.account) = (mode, account)
        }
        package static let codec = Codec(Self.init, ("mode", \.mode), ("account", \.account))
        package typealias Reply = Ask.Reply
    }

    package struct NotificationPolicy: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(Self.init, ("account", \.account))
        package struct Reply: WireObject {
            package var policy: Int, name: String
            package init(policy: Int, name: String) { (self.policy, self.name) = (policy, name) }
            package static let codec = Codec(Self.init, ("policy", \.policy), ("name", \.name))
        }
    }

    package struct ManagedAccounts: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var accounts: [ManagedAccount], primary: ManagedAccount?,
                managementEnabled: Bool
            package init(accounts: [ManagedAccount], primary: ManagedAccount? = nil,
                managementEnabled: Bool) {
                (self.accounts, self.primary, self.managementEnabled) = (accounts, primary,
                    managementEnabled)
            }
            package static let codec = Codec(Self.init, ("accounts", \.accounts),
                ("primary", \.primary), ("managementEnabled", \.managementEnabled))
        }
    }

    package struct ManagedPrograms: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var programs: [String]
            package init(programs: [String]) { self.programs = programs }
            package static let codec = Codec(Self.init, ("programs", \.programs))
        }
    }

    package struct SameIdentity: VarlinkRequest {
        package var first: String?, second: String?
        package init(first: String? = nil, second: String? = nil) {
            (self.first, self.second) = (first, second)
        }
        package static let codec = Codec(Self.init, ("first", \.first), ("second", \.second))
        package struct Reply: WireObject {
            package var same: Bool
            package init(same: Bool) { self.same = same }
            package static let codec = Codec(Self.init, ("same", \.same))
        }
    }

    package struct IsManaged: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(Self.init, ("account", \.account))
        package struct Reply: WireObject {
            package var managed: Bool
            package init(managed: Bool) { self.managed = managed }
            package static let codec = Codec(Self.init, ("managed", \.managed))
        }
    }

    package struct Configuration: VarlinkRequest {
        package var accounts: [String]?
        package init(accounts: [String]? = nil) { self.accounts = accounts }
        package static let codec = Codec(Self.init, ("accounts", \.accounts))
        package struct Reply: WireObject {
            package var fullData: [JSONValue]
            package init(fullData: [JSONValue]) { self.fullData = fullData }
            package static let codec = Codec(Self.init, ("fullData", \.fullData))
        }
    }

    package enum ValueType: String, WireWord { case string, bool, number }

    package enum ValueQuery: String, WireWord { case any, or, and, min, max }

    package struct ConfigurationValue: VarlinkRequest {
        package var key: String, type: ValueType?, query: ValueQuery?, account: String?
        package init(key: String, type: ValueType? = nil, query: ValueQuery? = nil,
            account: String? = nil) {
            (self.key, self.type, self.query, self.account) = (key, type, query, account)
        }
        package static let codec = Codec(Self.init, ("key", \.key), ("type", \.type),
            ("query", \.query), ("account", \.account))
        package struct Reply: WireObject {
            package var value: JSONValue?, all: [JSONValue]
            package init(value: JSONValue? = nil, all: [JSONValue]) {
                (self.value, self.all) = (value, all)
            }
            package static let codec = Codec(Self.init, ("value", \.value), ("all", \.all))
        }
    }

    package struct ConfigurationConflict: VarlinkRequest {
        package var key: String, account: String?
        package init(key: String, account: String? = nil) {
            (self.key, self.account) = (key, account)
        }
        package static let codec = Codec(Self.init, ("key", \.key), ("account", \.account))
        package struct Reply: WireObject {
            package var conflict: Bool
            package init(conflict: Bool) { self.conflict = conflict }
            package static let codec = Codec(Self.init, ("conflict", \.conflict))
        }
    }

    package struct Metrics: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var text: String
            package init(text: String) { self.text = text }
            package static let codec = Codec(Self.init, ("text", \.text))
        }
    }
}
