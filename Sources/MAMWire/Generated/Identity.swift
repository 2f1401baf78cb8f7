// From docs/io.mamd.Identity.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

extension Varlink { package enum Identity {} }
extension Varlink.Identity {
    package static let name = "io.mamd.Identity"
    package enum Method: String, Sendable, CaseIterable {
        case setThreadIdentity = "SetThreadIdentity", setProcessIdentity = "SetProcessIdentity",
            getContainment = "GetContainment", contain = "Contain", noteRefusal = "NoteRefusal",
            trust = "Trust", getIdentity = "GetIdentity",
            setUserInterfaceIdentity = "SetUserInterfaceIdentity",
            setUserInterfaceIdentities = "SetUserInterfaceIdentities",
            getUserInterfaceIdentity = "GetUserInterfaceIdentity", awaitSwitches = "AwaitSwitches",
            answerSwitch = "AnswerSwitch", linkAccount = "LinkAccount",
            blockedAccounts = "BlockedAccounts"
    }

    package enum Source: String, WireWord { case thread, process, session, `default` }

    package struct Acting: WireObject, Equatable {
        package var name: String, objectID: String, managed: Bool, source: Source, process: Int?,
            contained: Bool
        package init(name: String, objectID: String, managed: Bool, source: Source,
            process: Int? = nil, contained: Bool) {
            (self.name, self.objectID, self.managed, self.source, self.process,
                self.contained) = (name, objectID, managed, source, process, contained)
        }
        package static let codec = Codec(["name", "objectId", "managed", "source", "process",
            "contained"], Self.init) {
            [$0.name.json, $0.objectID.json, $0.managed.json, $0.source.json, $0.process.json,
                $0.contained.json]
        }
    }

    package struct BlockedAccount: WireObject, Equatable {
        package var account: String, reason: Int, word: String, text: String
        package init(account: String, reason: Int, word: String, text: String) {
            (self.account, self.reason, self.word, self.text) = (account, reason, word, text)
        }
        package static let codec = Codec(["account", "reason", "word", "text"], Self.init) {
            [$0.account.json, $0.reason.json, $0.word.json, $0.text.json]
        }
    }

    package struct SwitchRequest: WireObject, Equatable {
        package var id: Int, session: String, name: String, reason: Int, seconds: Int
        package init(id: Int, session: String, name: String, reason: Int, seconds: Int) {
            (self.id, self.session, self.name, self.reason, self.seconds) = (id, session, name,
                reason, seconds)
        }
        package static let codec = Codec(["id", "session", "name", "reason",
            "seconds"], Self.init) {
            [$0.id.json, $0.session.json, $0.name.json, $0.reason.json, $0.seconds.json]
        }
    }

    package enum Network: String, WireWord { case any, ports, none }

    package struct Containment: WireObject, Equatable {
        package var account: String, mountPoint: String, fileSystem: String, network: Network,
            ports: [Int], required: Bool, terminalBlocked: Bool, nestedRequired: Bool
        package init(account: String, mountPoint: String, fileSystem: String, network: Network,
            ports: [Int], required: Bool, terminalBlocked: Bool, nestedRequired: Bool) {
            (self.account, self.mountPoint, self.fileSystem, self.network, self.ports,
                self.required, self.terminalBlocked, self.nestedRequired) = (account, mountPoint,
                fileSystem, network, ports, required, terminalBlocked, nestedRequired)
        }
        package static let codec = Codec(["account", "mountPoint", "fileSystem", "network", "ports",
            "required", "terminalBlocked", "nestedRequired"], Self.init) {
            [$0.account.json, $0.mountPoint.json, $0.fileSystem.json, $0.network.json,
                $0.ports.json, $0.required.json, $0.terminalBlocked.json, $0.nestedRequired.json]
        }
    }

    package struct SetThreadIdentity: VarlinkRequest {
        package var thread: Int, identity: String?
        package init(thread: Int, identity: String? = nil) {
            (self.thread, self.identity) = (thread, identity)
        }
        package static let codec = Codec(["thread", "identity"], Self.init) {
            [$0.thread.json, $0.identity.json]
        }
    }

    package struct SetProcessIdentity: VarlinkRequest {
        package var identity: String?, scoped: Bool?, unmanaged: Bool?
        package init(identity: String? = nil, scoped: Bool? = nil, unmanaged: Bool? = nil) {
            (self.identity, self.scoped, self.unmanaged) = (identity, scoped, unmanaged)
        }
        package static let codec = Codec(["identity", "scoped", "unmanaged"], Self.init) {
            [$0.identity.json, $0.scoped.json, $0.unmanaged.json]
        }
    }

    package struct GetContainment: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var containment: Containment
            package init(containment: Containment) { self.containment = containment }
            package static let codec = Codec(["containment"], Self.init) { [$0.containment.json] }
        }
    }

    package struct Contain: VarlinkRequest {
        package var account: String, processDescriptor: Int, program: String?
        package init(account: String, processDescriptor: Int, program: String? = nil) {
            (self.account, self.processDescriptor, self.program) = (account, processDescriptor,
                program)
        }
        package static let codec = Codec(["account", "processDescriptor", "program"], Self.init) {
            [$0.account.json, $0.processDescriptor.json, $0.program.json]
        }
    }

    package enum ContainedAct: String, WireWord { case connect, mount }

    package struct NoteRefusal: VarlinkRequest {
        package var what: ContainedAct
        package init(what: ContainedAct) { self.what = what }
        package static let codec = Codec(["what"], Self.init) { [$0.what.json] }
    }

    package struct Trust: VarlinkRequest {
        package var account: String?, programDescriptor: Int, processDescriptor: Int
        package init(account: String? = nil, programDescriptor: Int, processDescriptor: Int) {
            (self.account, self.programDescriptor, self.processDescriptor) = (account,
                programDescriptor, processDescriptor)
        }
        package static let codec = Codec(["account", "programDescriptor",
            "processDescriptor"], Self.init) {
            [$0.account.json, $0.programDescriptor.json, $0.processDescriptor.json]
        }
    }

    package struct GetIdentity: VarlinkRequest {
        package var thread: Int?
        package init(thread: Int? = nil) { self.thread = thread }
        package static let codec = Codec(["thread"], Self.init) { [$0.thread.json] }
        package struct Reply: WireObject {
            package var acting: Acting
            package init(acting: Acting) { self.acting = acting }
            package static let codec = Codec(["acting"], Self.init) { [$0.acting.json] }
        }
    }

    package struct SetUserInterfaceIdentity: VarlinkRequest {
        package var identity: String?, passphrase: String?, passphraseDescriptor: Int?, thread: Int?
        package init(identity: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, thread: Int? = nil) {
            (self.identity, self.passphrase, self.passphraseDescriptor, self.thread) = (identity,
                passphrase, passphraseDescriptor, thread)
        }
        package static let codec = Codec(["identity", "passphrase", "passphraseDescriptor",
            "thread"], Self.init) {
            [$0.identity.json, $0.passphrase.json, $0.passphraseDescriptor.json, $0.thread.json]
        }
        package struct Reply: WireObject {
            package var result: Int, word: String, reason: String
            package init(result: Int, word: String, reason: String) {
                (self.result, self.word, self.reason) = (result, word, reason)
            }
            package static let codec = Codec(["result", "word", "reason"], Self.init) {
                [$0.result.json, $0.word.json, $0.reason.json]
            }
        }
    }

    package struct SetUserInterfaceIdentities: VarlinkRequest {
        package var identities: [String], thread: Int?
        package init(identities: [String], thread: Int? = nil) {
            (self.identities, self.thread) = (identities, thread)
        }
        package static let codec = Codec(["identities", "thread"], Self.init) {
            [$0.identities.json, $0.thread.json]
        }
        package typealias Reply = SetUserInterfaceIdentity.Reply
    }

    package struct GetUserInterfaceIdentity: VarlinkRequest {
        package var thread: Int?
        package init(thread: Int? = nil) { self.thread = thread }
        package static let codec = Codec(["thread"], Self.init) { [$0.thread.json] }
        package struct Reply: WireObject {
            package var session: String, identities: [String]?, acting: Acting?
            package init(session: String, identities: [String]? = nil, acting: Acting? = nil) {
                (self.session, self.identities, self.acting) = (session, identities, acting)
            }
            package static let codec = Codec(["session", "identities", "acting"], Self.init) {
                [$0.session.json, $0.identities.json, $0.acting.json]
            }
        }
    }

    package struct AwaitSwitches: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var request: SwitchRequest?
            package init(request: SwitchRequest? = nil) { self.request = request }
            package static let codec = Codec(["request"], Self.init) { [$0.request.json] }
        }
    }

    package struct AnswerSwitch: VarlinkRequest {
        package var id: Int, result: Int
        package init(id: Int, result: Int) { (self.id, self.result) = (id, result) }
        package static let codec = Codec(["id", "result"], Self.init) {
            [$0.id.json, $0.result.json]
        }
    }

    package struct LinkAccount: VarlinkRequest {
        package var account: String, objectID: String, passphrase: String?,
            passphraseDescriptor: Int?
        package init(account: String, objectID: String, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil) {
            (self.account, self.objectID, self.passphrase, self.passphraseDescriptor) = (account,
                objectID, passphrase, passphraseDescriptor)
        }
        package static let codec = Codec(["account", "objectId", "passphrase",
            "passphraseDescriptor"], Self.init) {
            [$0.account.json, $0.objectID.json, $0.passphrase.json, $0.passphraseDescriptor.json]
        }
        package struct Reply: WireObject {
            package var name: String, objectID: String
            package init(name: String, objectID: String) {
                (self.name, self.objectID) = (name, objectID)
            }
            package static let codec = Codec(["name", "objectId"], Self.init) {
                [$0.name.json, $0.objectID.json]
            }
        }
    }

    package struct BlockedAccounts: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var accounts: [BlockedAccount]
            package init(accounts: [BlockedAccount]) { self.accounts = accounts }
            package static let codec = Codec(["accounts"], Self.init) { [$0.accounts.json] }
        }
    }
}
