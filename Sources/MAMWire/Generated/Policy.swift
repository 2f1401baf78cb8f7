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
        package static let codec = Codec(["allowed", "reason", "words", "rule"], Self.init) {
            [$0.allowed.json, $0.reason.json, $0.words.json, $0.rule.json]
        }
    }

    package struct Answer: WireObject, Equatable {
        package var question: String, decision: Decision
        package init(question: String, decision: Decision) {
            (self.question, self.decision) = (question, decision)
        }
        package static let codec = Codec(["question", "decision"], Self.init) {
            [$0.question.json, $0.decision.json]
        }
    }

    package struct LocationAnswer: WireObject, Equatable {
        package var location: String, value: Int, decision: Decision
        package init(location: String, value: Int, decision: Decision) {
            (self.location, self.value, self.decision) = (location, value, decision)
        }
        package static let codec = Codec(["location", "value", "decision"], Self.init) {
            [$0.location.json, $0.value.json, $0.decision.json]
        }
    }

    package struct ShareTarget: WireObject, Equatable {
        package var program: String, managed: Bool, sealed: Bool, decision: Decision
        package init(program: String, managed: Bool, sealed: Bool, decision: Decision) {
            (self.program, self.managed, self.sealed, self.decision) = (program, managed, sealed,
                decision)
        }
        package static let codec = Codec(["program", "managed", "sealed", "decision"], Self.init) {
            [$0.program.json, $0.managed.json, $0.sealed.json, $0.decision.json]
        }
    }

    package struct Document: WireObject, Equatable {
        package var name: String, file: String?, id: String?, version: String?, isDefault: Bool
        package init(name: String, file: String? = nil, id: String? = nil, version: String? = nil,
            isDefault: Bool) {
            (self.name, self.file, self.id, self.version, self.isDefault) = (name, file, id,
                version, isDefault)
        }
        package static let codec = Codec(["name", "file", "id", "version",
            "isDefault"], Self.init) {
            [$0.name.json, $0.file.json, $0.id.json, $0.version.json, $0.isDefault.json]
        }
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
        package static let codec = Codec(["line", "column", "severity", "key",
            "reason"], Self.init) {
            [$0.line.json, $0.column.json, $0.severity.json, $0.key.json, $0.reason.json]
        }
    }

    package struct Coverage: WireObject, Equatable {
        package var document: String, accounts: [String], obstacle: String?, next: String?
        package init(document: String, accounts: [String], obstacle: String? = nil,
            next: String? = nil) {
            (self.document, self.accounts, self.obstacle, self.next) = (document, accounts,
                obstacle, next)
        }
        package static let codec = Codec(["document", "accounts", "obstacle", "next"], Self.init) {
            [$0.document.json, $0.accounts.json, $0.obstacle.json, $0.next.json]
        }
    }

    package struct ManagedAccount: WireObject, Equatable {
        package var name: String, objectID: String
        package init(name: String, objectID: String) {
            (self.name, self.objectID) = (name, objectID)
        }
        package static let codec = Codec(["name", "objectId"], Self.init) {
            [$0.name.json, $0.objectID.json]
        }
    }

    package struct Show: VarlinkRequest {
        package var account: String?, accounts: [String]?
        package init(account: String? = nil, accounts: [String]? = nil) {
            (self.account, self.accounts) = (account, accounts)
        }
        package static let codec = Codec(["account", "accounts"], Self.init) {
            [$0.account.json, $0.accounts.json]
        }
        package struct Reply: WireObject {
            package var account: String, managed: Bool, rules: JSONValue, documents: [Document],
                refused: [RefusedDocument], warnings: [String]
            package init(account: String, managed: Bool, rules: JSONValue, documents: [Document],
                refused: [RefusedDocument], warnings: [String]) {
                (self.account, self.managed, self.rules, self.documents, self.refused,
                    self.warnings) = (account, managed, rules, documents, refused, warnings)
            }
            package static let codec = Codec(["account", "managed", "rules", "documents", "refused",
                "warnings"], Self.init) {
                [$0.account.json, $0.managed.json, $0.rules.json, $0.documents.json,
                    $0.refused.json, $0.warnings.json]
            }
        }
    }

    package struct Check: VarlinkRequest {
        package var document: String
        package init(document: String) { self.document = document }
        package static let codec = Codec(["document"], Self.init) { [$0.document.json] }
        package struct Reply: WireObject {
            package var findings: [Finding]
            package init(findings: [Finding]) { self.findings = findings }
            package static let codec = Codec(["findings"], Self.init) { [$0.findings.json] }
        }
    }

    package struct Closure: WireObject, Equatable {
        package var account: String, reason: String
        package init(account: String, reason: String) {
            (self.account, self.reason) = (account, reason)
        }
        package static let codec = Codec(["account", "reason"], Self.init) {
            [$0.account.json, $0.reason.json]
        }
    }

    package struct Import: VarlinkRequest {
        package var name: String, document: String, dryRun: Bool?
        package init(name: String, document: String, dryRun: Bool? = nil) {
            (self.name, self.document, self.dryRun) = (name, document, dryRun)
        }
        package static let codec = Codec(["name", "document", "dryRun"], Self.init) {
            [$0.name.json, $0.document.json, $0.dryRun.json]
        }
        package struct Reply: WireObject {
            package var documents: [String], coverage: [Coverage], warnings: [String],
                closes: [Closure]?
            package init(documents: [String], coverage: [Coverage], warnings: [String],
                closes: [Closure]? = nil) {
                (self.documents, self.coverage, self.warnings, self.closes) = (documents, coverage,
                    warnings, closes)
            }
            package static let codec = Codec(["documents", "coverage", "warnings",
                "closes"], Self.init) {
                [$0.documents.json, $0.coverage.json, $0.warnings.json, $0.closes.json]
            }
        }
    }

    package struct Ask: VarlinkRequest {
        package var question: String, account: String?, accounts: [String]?
        package init(question: String, account: String? = nil, accounts: [String]? = nil) {
            (self.question, self.account, self.accounts) = (question, account, accounts)
        }
        package static let codec = Codec(["question", "account", "accounts"], Self.init) {
            [$0.question.json, $0.account.json, $0.accounts.json]
        }
        package struct Reply: WireObject {
            package var decision: Decision
            package init(decision: Decision) { self.decision = decision }
            package static let codec = Codec(["decision"], Self.init) { [$0.decision.json] }
        }
    }

    package struct Answers: VarlinkRequest {
        package var account: String?, accounts: [String]?
        package init(account: String? = nil, accounts: [String]? = nil) {
            (self.account, self.accounts) = (account, accounts)
        }
        package static let codec = Codec(["account", "accounts"], Self.init) {
            [$0.account.json, $0.accounts.json]
        }
        package struct Reply: WireObject {
            package var account: String, answers: [Answer]
            package init(account: String, answers: [Answer]) {
                (self.account, self.answers) = (account, answers)
            }
            package static let codec = Codec(["account", "answers"], Self.init) {
                [$0.account.json, $0.answers.json]
            }
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
        package static let codec = Codec(["location", "owner", "path", "fileDescriptor",
            "account"], Self.init) {
            [$0.location.json, $0.owner.json, $0.path.json, $0.fileDescriptor.json, $0.account.json]
        }
        package typealias Reply = Ask.Reply
    }

    package struct SaveLocations: VarlinkRequest {
        package var owner: String?, path: String?, fileDescriptor: Int?, account: String?
        package init(owner: String? = nil, path: String? = nil, fileDescriptor: Int? = nil,
            account: String? = nil) {
            (self.owner, self.path, self.fileDescriptor, self.account) = (owner, path,
                fileDescriptor, account)
        }
        package static let codec = Codec(["owner", "path", "fileDescriptor",
            "account"], Self.init) {
            [$0.owner.json, $0.path.json, $0.fileDescriptor.json, $0.account.json]
        }
        package struct Reply: WireObject {
            package var locations: [LocationAnswer]
            package init(locations: [LocationAnswer]) { self.locations = locations }
            package static let codec = Codec(["locations"], Self.init) { [$0.locations.json] }
        }
    }

    package struct CanOpen: VarlinkRequest {
        package var location: String, receiver: String?, account: String?
        package init(location: String, receiver: String? = nil, account: String? = nil) {
            (self.location, self.receiver, self.account) = (location, receiver, account)
        }
        package static let codec = Codec(["location", "receiver", "account"], Self.init) {
            [$0.location.json, $0.receiver.json, $0.account.json]
        }
        package typealias Reply = Ask.Reply
    }

    package struct OpenLocations: VarlinkRequest {
        package var receiver: String?, account: String?
        package init(receiver: String? = nil, account: String? = nil) {
            (self.receiver, self.account) = (receiver, account)
        }
        package static let codec = Codec(["receiver", "account"], Self.init) {
            [$0.receiver.json, $0.account.json]
        }
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
        package static let codec = Codec(["owner", "path", "fileDescriptor", "item",
            "account"], Self.init) {
            [$0.owner.json, $0.path.json, $0.fileDescriptor.json, $0.item.json, $0.account.json]
        }
        package struct Reply: WireObject {
            package var decision: Decision, becomesReceivers: Bool
            package init(decision: Decision, becomesReceivers: Bool) {
                (self.decision, self.becomesReceivers) = (decision, becomesReceivers)
            }
            package static let codec = Codec(["decision", "becomesReceivers"], Self.init) {
                [$0.decision.json, $0.becomesReceivers.json]
            }
        }
    }

    package struct ShareTargets: VarlinkRequest {
        package var programs: [String], account: String?
        package init(programs: [String], account: String? = nil) {
            (self.programs, self.account) = (programs, account)
        }
        package static let codec = Codec(["programs", "account"], Self.init) {
            [$0.programs.json, $0.account.json]
        }
        package struct Reply: WireObject {
            package var targets: [ShareTarget]
            package init(targets: [ShareTarget]) { self.targets = targets }
            package static let codec = Codec(["targets"], Self.init) { [$0.targets.json] }
        }
    }

    package struct CanOpenURL: VarlinkRequest {
        package var url: String, account: String?, knownManagedScheme: Bool?, universal: Bool?
        package init(url: String, account: String? = nil, knownManagedScheme: Bool? = nil,
            universal: Bool? = nil) {
            (self.url, self.account, self.knownManagedScheme, self.universal) = (url, account,
                knownManagedScheme, universal)
        }
        package static let codec = Codec(["url", "account", "knownManagedScheme",
            "universal"], Self.init) {
            [$0.url.json, $0.account.json, $0.knownManagedScheme.json, $0.universal.json]
        }
        package struct Reply: WireObject {
            package var decision: Decision, opens: String?
            package init(decision: Decision, opens: String? = nil) {
                (self.decision, self.opens) = (decision, opens)
            }
            package static let codec = Codec(["decision", "opens"], Self.init) {
                [$0.decision.json, $0.opens.json]
            }
        }
    }

    package struct CanCopy: VarlinkRequest {
        package var count: Int, account: String?, target: String?
        package init(count: Int, account: String? = nil, target: String? = nil) {
            (self.count, self.account, self.target) = (count, account, target)
        }
        package static let codec = Codec(["count", "account", "target"], Self.init) {
            [$0.count.json, $0.account.json, $0.target.json]
        }
        package typealias Reply = Ask.Reply
    }

    package struct CanPaste: VarlinkRequest {
        package var count: Int, account: String?, source: String?
        package init(count: Int, account: String? = nil, source: String? = nil) {
            (self.count, self.account, self.source) = (count, account, source)
        }
        package static let codec = Codec(["count", "account", "source"], Self.init) {
            [$0.count.json, $0.account.json, $0.source.json]
        }
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
        package static let codec = Codec(["mode", "account"], Self.init) {
            [$0.mode.json, $0.account.json]
        }
        package typealias Reply = Ask.Reply
    }

    package struct NotificationPolicy: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var policy: Int, name: String
            package init(policy: Int, name: String) { (self.policy, self.name) = (policy, name) }
            package static let codec = Codec(["policy", "name"], Self.init) {
                [$0.policy.json, $0.name.json]
            }
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
            package static let codec = Codec(["accounts", "primary",
                "managementEnabled"], Self.init) {
                [$0.accounts.json, $0.primary.json, $0.managementEnabled.json]
            }
        }
    }

    package struct ManagedPrograms: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var programs: [String]
            package init(programs: [String]) { self.programs = programs }
            package static let codec = Codec(["programs"], Self.init) { [$0.programs.json] }
        }
    }

    package struct SameIdentity: VarlinkRequest {
        package var first: String?, second: String?
        package init(first: String? = nil, second: String? = nil) {
            (self.first, self.second) = (first, second)
        }
        package static let codec = Codec(["first", "second"], Self.init) {
            [$0.first.json, $0.second.json]
        }
        package struct Reply: WireObject {
            package var same: Bool
            package init(same: Bool) { self.same = same }
            package static let codec = Codec(["same"], Self.init) { [$0.same.json] }
        }
    }

    package struct IsManaged: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var managed: Bool
            package init(managed: Bool) { self.managed = managed }
            package static let codec = Codec(["managed"], Self.init) { [$0.managed.json] }
        }
    }

    package struct Configuration: VarlinkRequest {
        package var accounts: [String]?
        package init(accounts: [String]? = nil) { self.accounts = accounts }
        package static let codec = Codec(["accounts"], Self.init) { [$0.accounts.json] }
        package struct Reply: WireObject {
            package var fullData: [JSONValue]
            package init(fullData: [JSONValue]) { self.fullData = fullData }
            package static let codec = Codec(["fullData"], Self.init) { [$0.fullData.json] }
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
        package static let codec = Codec(["key", "type", "query", "account"], Self.init) {
            [$0.key.json, $0.type.json, $0.query.json, $0.account.json]
        }
        package struct Reply: WireObject {
            package var value: JSONValue?, all: [JSONValue]
            package init(value: JSONValue? = nil, all: [JSONValue]) {
                (self.value, self.all) = (value, all)
            }
            package static let codec = Codec(["value", "all"], Self.init) {
                [$0.value.json, $0.all.json]
            }
        }
    }

    package struct ConfigurationConflict: VarlinkRequest {
        package var key: String, account: String?
        package init(key: String, account: String? = nil) {
            (self.key, self.account) = (key, account)
        }
        package static let codec = Codec(["key", "account"], Self.init) {
            [$0.key.json, $0.account.json]
        }
        package struct Reply: WireObject {
            package var conflict: Bool
            package init(conflict: Bool) { self.conflict = conflict }
            package static let codec = Codec(["conflict"], Self.init) { [$0.conflict.json] }
        }
    }

    package struct Metrics: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var text: String
            package init(text: String) { self.text = text }
            package static let codec = Codec(["text"], Self.init) { [$0.text.json] }
        }
    }
}
