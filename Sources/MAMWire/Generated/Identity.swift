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
        package static let codec = Codec(Self.init, ("name", \.name), ("objectId", \.objectID),
            ("managed", \.managed), ("source", \.source), ("process", \.process),
            ("contained", \.contained))
    }

    package struct BlockedAccount: WireObject, Equatable {
        package var account: String, reason: Int, word: String, text: String
        package init(account: String, reason: Int, word: String, text: String) {
            (self.account, self.reason, self.word, self.text) = (account, reason, word, text)
        }
        package static let codec = Codec(Self.init, ("account", \.account), ("reason", \.reason),
            ("word", \.word), ("text", \.text))
    }

    package struct SwitchRequest: WireObject, Equatable {
        package var id: Int, session: String, name: String, reason: Int, seconds: Int
        package init(id: Int, session: String, name: String, reason: Int, seconds: Int) {
            (self.id, self.session, self.name, self.reason, self.seconds) = (id, session, name,
                reason, seconds)
        }
        package static let codec = Codec(Self.init, ("id", \.id), ("session", \.session),
            ("name", \.name), ("reason", \.reason), ("seconds", \.seconds))
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
        package static let codec = Codec(Self.init, ("account", \.account),
            ("mountPoint", \.mountPoint), ("fileSystem", \.fileSystem), ("network", \.network),
            ("ports", \.ports), ("required", \.required), ("terminalBlocked", \.terminalBlocked),
            ("nestedRequired", \.nestedRequired))
    }

    package struct SetThreadIdentity: VarlinkRequest {
        package var thread: Int, identity: String?
        package init(thread: Int, identity: String? = nil) {
            (self.thread, self.identity) = (thread, identity)
        }
        package static let codec = Codec(Self.init, ("thread", \.thread), ("identity", \.identity))
    }

    package struct SetProcessIdentity: VarlinkRequest {
        package var identity: String?, scoped: Bool?, unmanaged: Bool?
        package init(identity: String? = nil, scoped: Bool? = nil, unmanaged: Bool? = nil) {
            (self.identity, self.scoped, self.unmanaged) = (identity, scoped, unmanaged)
        }
        package static let codec = Codec(Self.init, ("identity", \.identity), ("scoped", \.scoped),
            ("unmanaged", \.unmanaged))
    }

    package struct GetContainment: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(Self.init, ("account", \.account))
        package struct Reply: WireObject {
            package var containment: Containment
            package init(containment: Containment) { self.containment = containment }
            package static let codec = Codec(Self.init, ("containment", \.containment))
        }
    }

    package struct Contain: VarlinkRequest {
        package var account: String, processDescriptor: Int, program: String?
        package init(account: String, processDescriptor: Int, program: String? = nil) {
            (self.account, self.processDescriptor, self.program) = (account, processDescriptor,
                program)
        }
        package static let codec = Codec(Self.init, ("account", \.account),
            ("processDescriptor", \.processDescriptor), ("program", \.program))
    }

    package enum ContainedAct: String, WireWord { case connect, mount }

    package struct NoteRefusal: VarlinkRequest {
        package var what: ContainedAct
        package init(what: ContainedAct) { self.what = what }
        package static let codec = Codec(Self.init, ("what", \.what))
    }

    package struct Trust: VarlinkRequest {
        package var account: String?, programDescriptor: Int, processDescriptor: Int
        package init(account: String? = nil, programDescriptor: Int, processDescriptor: Int) {
            (self.account, self.programDescriptor, self.processDescriptor) = (account,
                programDescriptor, processDescriptor)
        }
        package static let codec = Codec(Self.init, ("account", \.account),
            ("programDescriptor", \.programDescriptor), ("processDescriptor", \.processDescriptor))
    }

    package struct GetIdentity: VarlinkRequest {
        package var thread: Int?
        package init(thread: Int? = nil) { self.thread = thread }
        package static let codec = Codec(Self.init, ("thread", \.thread))
        package struct Reply: WireObject {
            package var acting: Acting
            package init(acting: Acting) { self.acting = acting }
            package static let codec = Codec(Self.init, ("acting", \.acting))
        }
    }

    package struct SetUserInterfaceIdentity: VarlinkRequest {
        package var identity: String?, passphrase: String?, passphraseDescriptor: Int?, thread: Int?
        package init(identity: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, thread: Int? = nil) {
            (self.identity, self.passphrase, self.passphraseDescriptor, self.thread) = (identity,
                passphrase, passphraseDescriptor, thread)
        }
        package static let codec = Codec(Self.init, ("identity", \.identity),
            ("passphrase", \.passphrase), ("passphraseDescriptor", \.passphraseDescriptor),
            ("thread", \.thread))
        package struct Reply: WireObject {
            package var result: Int, word: String, reason: String
            package init(result: Int, word: String, reason: String) {
                (self.result, self.word, self.reason) = (result, word, reason)
            }
            package static let codec = Codec(Self.init, ("result", \.result), ("word", \.word),
                ("reason", \.reason))
        }
    }

    package struct SetUserInterfaceIdentities: VarlinkRequest {
        package var identities: [String], thread: Int?
        package init(identities: [String], thread: Int? = nil) {
            (self.identities, self.thread) = (identities, thread)
        }
        package static let codec = Codec(Self.init, ("identities", \.identities),
            ("thread", \.thread))
        package typealias Reply = SetUserInterfaceIdentity.Reply
    }

    package struct GetUserInterfaceIdentity: VarlinkRequest {
        package var thread: Int?
        package init(thread: Int? = nil) { self.thread = thread }
        package static let codec = Codec(Self.init, ("thread", \.thread))
        package struct Reply: WireObject {
            package var session: String, identities: [String]?, acting: Acting?
            package init(session: String, identities: [String]? = nil, acting: Acting? = nil) {
                (self.session, self.identities, self.acting) = (session, identities, acting)
            }
            package static let codec = Codec(Self.init, ("session", \.session),
                ("identities", \.identities), ("acting", \.acting))
        }
    }

    package struct AwaitSwitches: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var request: SwitchRequest?
            package init(request: SwitchRequest? = nil) { self.request = request }
            package static let codec = Codec(Self.init, ("request", \.request))
        }
    }

    package struct AnswerSwitch: VarlinkRequest {
        package var id: Int, result: Int
        package init(id: Int, result: Int) { (self.id, self.result) = (id, result) }
        package static let codec = Codec(Self.init, ("id", \.id), ("result", \.result))
    }

    package struct LinkAccount: VarlinkRequest {
        package var account: String, objectID: String, passphrase: String?,
            passphraseDescriptor: Int?
        package init(account: String, objectID: String, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil) {
            (self.account, self.objectID, self.passphrase, self.passphraseDescriptor) = (account,
                objectID, passphrase, passphraseDescriptor)
        }
        package static let codec = Codec(Self.init, ("account", \.account),
            ("objectId", \.objectID), ("passphrase", \.passphrase),
            ("passphraseDescriptor", \.passphraseDescriptor))
        package struct Reply: WireObject {
            package var name: String, objectID: String
            package init(name: String, objectID: String) {
                (self.name, self.objectID) = (name, objectID)
            }
            package static let codec = Codec(Self.init, ("name", \.name), ("objectId", \.objectID))
        }
    }

    package struct BlockedAccounts: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var accounts: [BlockedAccount]
            package init(accounts: [BlockedAccount]) { self.accounts = accounts }
            package static let codec = Codec(Self.init, ("accounts", \.accounts))
        }
    }
}
