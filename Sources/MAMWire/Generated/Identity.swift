// From docs/io.mamd.Identity.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Identity {
        package static let name = "io.mamd.Identity"

        package enum Method: String, Sendable, CaseIterable {
            case setThreadIdentity = "SetThreadIdentity"
            case setProcessIdentity = "SetProcessIdentity"
            case getContainment = "GetContainment"
            case contain = "Contain"
            case noteRefusal = "NoteRefusal"
            case trust = "Trust"
            case getIdentity = "GetIdentity"
            case setUserInterfaceIdentity = "SetUserInterfaceIdentity"
            case setUserInterfaceIdentities = "SetUserInterfaceIdentities"
            case getUserInterfaceIdentity = "GetUserInterfaceIdentity"
            case awaitSwitches = "AwaitSwitches"
            case answerSwitch = "AnswerSwitch"
            case linkAccount = "LinkAccount"
            case blockedAccounts = "BlockedAccounts"
        }

        package struct Acting: WireObject {
            package var name: String
            package var objectID: String
            package var managed: Bool
            package var source: String
            package var process: Int?
            package var contained: Bool

            package init(
                name: String, objectID: String, managed: Bool, source: String,
                process: Int? = nil, contained: Bool
            ) {
                self.name = name
                self.objectID = objectID
                self.managed = managed
                self.source = source
                self.process = process
                self.contained = contained
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    name: wire.value("name"), objectID: wire.value("objectId"),
                    managed: wire.value("managed"), source: wire.value("source"),
                    process: wire.value("process"), contained: wire.value("contained")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "name": name.json, "objectId": objectID.json, "managed": managed.json,
                    "source": source.json, "process": process.json, "contained": contained.json
                ]
            }
        }

        package struct BlockedAccount: WireObject {
            package var account: String
            package var reason: Int
            package var word: String
            package var text: String

            package init(account: String, reason: Int, word: String, text: String) {
                self.account = account
                self.reason = reason
                self.word = word
                self.text = text
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), reason: wire.value("reason"),
                    word: wire.value("word"), text: wire.value("text")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "reason": reason.json, "word": word.json,
                    "text": text.json
                ]
            }
        }

        package struct SwitchRequest: WireObject {
            package var id: Int
            package var session: String
            package var name: String
            package var reason: Int
            package var seconds: Int

            package init(
                id: Int, session: String, name: String, reason: Int, seconds: Int
            ) {
                self.id = id
                self.session = session
                self.name = name
                self.reason = reason
                self.seconds = seconds
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    id: wire.value("id"), session: wire.value("session"),
                    name: wire.value("name"), reason: wire.value("reason"),
                    seconds: wire.value("seconds")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "id": id.json, "session": session.json, "name": name.json,
                    "reason": reason.json, "seconds": seconds.json
                ]
            }
        }

        package struct Containment: WireObject {
            package var account: String
            package var mountPoint: String
            package var fileSystem: String
            package var network: String
            package var ports: [Int]
            package var required: Bool
            package var terminalBlocked: Bool
            package var nestedRequired: Bool

            package init(
                account: String, mountPoint: String, fileSystem: String, network: String,
                ports: [Int], required: Bool, terminalBlocked: Bool, nestedRequired: Bool
            ) {
                self.account = account
                self.mountPoint = mountPoint
                self.fileSystem = fileSystem
                self.network = network
                self.ports = ports
                self.required = required
                self.terminalBlocked = terminalBlocked
                self.nestedRequired = nestedRequired
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), mountPoint: wire.value("mountPoint"),
                    fileSystem: wire.value("fileSystem"), network: wire.value("network"),
                    ports: wire.value("ports"), required: wire.value("required"),
                    terminalBlocked: wire.value("terminalBlocked"),
                    nestedRequired: wire.value("nestedRequired")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "mountPoint": mountPoint.json,
                    "fileSystem": fileSystem.json, "network": network.json, "ports": ports.json,
                    "required": required.json, "terminalBlocked": terminalBlocked.json,
                    "nestedRequired": nestedRequired.json
                ]
            }
        }

        package struct SetThreadIdentity: VarlinkRequest {
            package static let method = "io.mamd.Identity.SetThreadIdentity"
            package static let memberNames: Set<String> = ["thread", "identity"]

            package var thread: Int
            package var identity: String?

            package init(thread: Int, identity: String? = nil) {
                self.thread = thread
                self.identity = identity
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(thread: wire.value("thread"), identity: wire.value("identity"))
            }

            package var members: [String: JSONValue] {
                ["thread": thread.json, "identity": identity.json]
            }

            package typealias Reply = NoMembers
        }

        package struct SetProcessIdentity: VarlinkRequest {
            package static let method = "io.mamd.Identity.SetProcessIdentity"
            package static let memberNames: Set<String> = [
                "identity", "scoped", "unmanaged"
            ]

            package var identity: String?
            package var scoped: Bool?
            package var unmanaged: Bool?

            package init(
                identity: String? = nil, scoped: Bool? = nil, unmanaged: Bool? = nil
            ) {
                self.identity = identity
                self.scoped = scoped
                self.unmanaged = unmanaged
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    identity: wire.value("identity"), scoped: wire.value("scoped"),
                    unmanaged: wire.value("unmanaged")
                )
            }

            package var members: [String: JSONValue] {
                ["identity": identity.json, "scoped": scoped.json, "unmanaged": unmanaged.json]
            }

            package typealias Reply = NoMembers
        }

        package struct GetContainment: VarlinkRequest {
            package static let method = "io.mamd.Identity.GetContainment"
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
                package var containment: Containment

                package init(containment: Containment) {
                    self.containment = containment
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(containment: wire.value("containment"))
                }

                package var members: [String: JSONValue] { ["containment": containment.json] }
            }
        }

        package struct Contain: VarlinkRequest {
            package static let method = "io.mamd.Identity.Contain"
            package static let memberNames: Set<String> = [
                "account", "processDescriptor", "program"
            ]

            package var account: String
            package var processDescriptor: Int
            package var program: String?

            package init(account: String, processDescriptor: Int, program: String? = nil) {
                self.account = account
                self.processDescriptor = processDescriptor
                self.program = program
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"),
                    processDescriptor: wire.value("processDescriptor"),
                    program: wire.value("program")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "processDescriptor": processDescriptor.json,
                    "program": program.json
                ]
            }

            package typealias Reply = NoMembers
        }

        package struct NoteRefusal: VarlinkRequest {
            package static let method = "io.mamd.Identity.NoteRefusal"
            package static let memberNames: Set<String> = ["what"]

            package var what: String

            package init(what: String) {
                self.what = what
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(what: wire.value("what"))
            }

            package var members: [String: JSONValue] { ["what": what.json] }

            package typealias Reply = NoMembers
        }

        package struct Trust: VarlinkRequest {
            package static let method = "io.mamd.Identity.Trust"
            package static let memberNames: Set<String> = [
                "account", "programDescriptor", "processDescriptor"
            ]

            package var account: String?
            package var programDescriptor: Int
            package var processDescriptor: Int

            package init(
                account: String? = nil, programDescriptor: Int, processDescriptor: Int
            ) {
                self.account = account
                self.programDescriptor = programDescriptor
                self.processDescriptor = processDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"),
                    programDescriptor: wire.value("programDescriptor"),
                    processDescriptor: wire.value("processDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "programDescriptor": programDescriptor.json,
                    "processDescriptor": processDescriptor.json
                ]
            }

            package typealias Reply = NoMembers
        }

        package struct GetIdentity: VarlinkRequest {
            package static let method = "io.mamd.Identity.GetIdentity"
            package static let memberNames: Set<String> = ["thread"]

            package var thread: Int?

            package init(thread: Int? = nil) {
                self.thread = thread
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(thread: wire.value("thread"))
            }

            package var members: [String: JSONValue] { ["thread": thread.json] }

            package struct Reply: WireObject {
                package var acting: Acting

                package init(acting: Acting) {
                    self.acting = acting
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(acting: wire.value("acting"))
                }

                package var members: [String: JSONValue] { ["acting": acting.json] }
            }
        }

        package struct SetUserInterfaceIdentity: VarlinkRequest {
            package static let method = "io.mamd.Identity.SetUserInterfaceIdentity"
            package static let memberNames: Set<String> = [
                "identity", "passphrase", "passphraseDescriptor", "thread"
            ]

            package var identity: String?
            package var passphrase: String?
            package var passphraseDescriptor: Int?
            package var thread: Int?

            package init(
                identity: String? = nil, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil, thread: Int? = nil
            ) {
                self.identity = identity
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
                self.thread = thread
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    identity: wire.value("identity"), passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor"),
                    thread: wire.value("thread")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "identity": identity.json, "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json, "thread": thread.json
                ]
            }

            package struct Reply: WireObject {
                package var result: Int
                package var word: String
                package var reason: String

                package init(result: Int, word: String, reason: String) {
                    self.result = result
                    self.word = word
                    self.reason = reason
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        result: wire.value("result"), word: wire.value("word"),
                        reason: wire.value("reason")
                    )
                }

                package var members: [String: JSONValue] {
                    ["result": result.json, "word": word.json, "reason": reason.json]
                }
            }
        }

        package struct SetUserInterfaceIdentities: VarlinkRequest {
            package static let method = "io.mamd.Identity.SetUserInterfaceIdentities"
            package static let memberNames: Set<String> = ["identities", "thread"]

            package var identities: [String]
            package var thread: Int?

            package init(identities: [String], thread: Int? = nil) {
                self.identities = identities
                self.thread = thread
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    identities: wire.value("identities"), thread: wire.value("thread")
                )
            }

            package var members: [String: JSONValue] {
                ["identities": identities.json, "thread": thread.json]
            }

            package typealias Reply = SetUserInterfaceIdentity.Reply
        }

        package struct GetUserInterfaceIdentity: VarlinkRequest {
            package static let method = "io.mamd.Identity.GetUserInterfaceIdentity"
            package static let memberNames: Set<String> = ["thread"]

            package var thread: Int?

            package init(thread: Int? = nil) {
                self.thread = thread
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(thread: wire.value("thread"))
            }

            package var members: [String: JSONValue] { ["thread": thread.json] }

            package struct Reply: WireObject {
                package var session: String
                package var identities: [String]?
                package var acting: Acting?

                package init(
                    session: String, identities: [String]? = nil, acting: Acting? = nil
                ) {
                    self.session = session
                    self.identities = identities
                    self.acting = acting
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        session: wire.value("session"), identities: wire.value("identities"),
                        acting: wire.value("acting")
                    )
                }

                package var members: [String: JSONValue] {
                    ["session": session.json, "identities": identities.json, "acting": acting.json]
                }
            }
        }

        package struct AwaitSwitches: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Identity.AwaitSwitches"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var request: SwitchRequest?

                package init(request: SwitchRequest? = nil) {
                    self.request = request
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(request: wire.value("request"))
                }

                package var members: [String: JSONValue] { ["request": request.json] }
            }
        }

        package struct AnswerSwitch: VarlinkRequest {
            package static let method = "io.mamd.Identity.AnswerSwitch"
            package static let memberNames: Set<String> = ["id", "result"]

            package var id: Int
            package var result: Int

            package init(id: Int, result: Int) {
                self.id = id
                self.result = result
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(id: wire.value("id"), result: wire.value("result"))
            }

            package var members: [String: JSONValue] { ["id": id.json, "result": result.json] }

            package typealias Reply = NoMembers
        }

        package struct LinkAccount: VarlinkRequest {
            package static let method = "io.mamd.Identity.LinkAccount"
            package static let memberNames: Set<String> = [
                "account", "objectId", "passphrase", "passphraseDescriptor"
            ]

            package var account: String
            package var objectID: String
            package var passphrase: String?
            package var passphraseDescriptor: Int?

            package init(
                account: String, objectID: String, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil
            ) {
                self.account = account
                self.objectID = objectID
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), objectID: wire.value("objectId"),
                    passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "objectId": objectID.json,
                    "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json
                ]
            }

            package struct Reply: WireObject {
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
        }

        package struct BlockedAccounts: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Identity.BlockedAccounts"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var accounts: [BlockedAccount]

                package init(accounts: [BlockedAccount]) {
                    self.accounts = accounts
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(accounts: wire.value("accounts"))
                }

                package var members: [String: JSONValue] { ["accounts": accounts.json] }
            }
        }
    }
}

extension Varlink.Identity {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# The identities that programs and people act for: they own the files that these create, and
# decide which files they may open.
#
# An identity is a name or an object id. "" is nobody, and is set like any other; null removes the
# setting. Errors are those of io.mamd.Workspace.
interface io.mamd.Identity

# source: thread, process, session (the user interface's), default (the account that the user
# registered, or nobody)
# process: if source is process, the one that the identity was set for: the caller or an ancestor
# contained: that process and all that it starts are contained
type Acting (
  name: string,
  objectId: string,
  managed: bool,
  source: string,
  process: ?int,
  contained: bool
)

# reason: 1 launchBlocked, 2 canceled (the caller's session canceled its launch), 3 clockedOut
type BlockedAccount (
  account: string,
  reason: int,
  word: string,
  text: string
)

# The caller's login session should show name; empty: an unmanaged identity. reason: 0 a link is
# opened for it, 2 a document of it arrives. The operation waits so many seconds for AnswerSwitch.
type SwitchRequest (
  id: int,
  session: string,
  name: string,
  reason: int,
  seconds: int
)

# What a contained program of an account may do: it changes files beneath mountPoint alone.
# fileSystem: the number of what is mounted there, as in /proc/self/mountinfo; empty: nothing is.
# network: any, ports (it connects to these TCP ports alone) or none. required: policy lets only
# contained programs open the account's files. terminalBlocked: it has no terminal.
# nestedRequired: it has no display but one of its own.
type Containment (
  account: string,
  mountPoint: string,
  fileSystem: string,
  network: string,
  ports: []int,
  required: bool,
  terminalBlocked: bool,
  nestedRequired: bool
)

# Sets the identity of one thread of the calling process, until the connection ends. It overrides
# the process's identity.
# thread: as gettid(2) returns it. Processes that the thread forks inherit its identity. Those that
# have not called when it ends may have inherited it or their process's: they have the account's,
# and with several accounts make no file. A process has identities for at most 256 threads.
method SetThreadIdentity(thread: int, identity: ?string) -> ()

# Sets the identity of the calling process, and of all processes that it and its descendants start
# from now on. Processes that it has already started keep theirs. scoped: until the connection
# ends; otherwise until the process ends.
# unmanaged: false refuses an identity that is not a registered account, as UnmanagedOwner: for
# names that a person has typed.
method SetProcessIdentity(identity: ?string, scoped: ?bool, unmanaged: ?bool) -> ()

# Returns what a contained program of the account may do. account: null for the caller's default,
# or only, account.
method GetContainment(account: ?string) -> (containment: Containment)

# Notes that a child of the caller is contained, with all that it starts, and acts for the account
# until the last of them has ended. They cannot change their identity. processDescriptor: the
# child's pidfd, or the caller's own, of which an earlier daemon was told. It has restricted itself
# before, as mamctl run --contained does: the daemon sees only that it has no_new_privs.
# program: what it is going to execute, for the audit; the caller's word.
method Contain(account: string, processDescriptor: int, program: ?string) -> ()

# Records in the audit what the supervisor of contained programs, the process that Contain has
# noted, has refused them. what: connect (to an address of the network), or mount (another file
# system came into the workspace, and all of them were ended). The programs themselves may not call.
method NoteRefusal(what: string) -> ()

# Notes that a child of the caller, with all that it starts, is trusted until the last of them has
# ended: it opens files for reading that are only for contained programs, of the account, or with
# null of all. It changes no file in the mount; files that it makes are the account's, and with null
# it makes none. For the daemon's user alone. programDescriptor: the program, opened with O_PATH:
# its path is in TrustedPrograms, and root owns it and all directories above it, which nobody else
# can write to. processDescriptor: the child's pidfd; that it executes the program is the caller's
# word. Each call is audited.
method Trust(account: ?string, programDescriptor: int, processDescriptor: int) -> ()

# Returns the identity of a thread of the calling process, and its source. thread: null for the
# first one.
method GetIdentity(thread: ?int) -> (acting: Acting)

# Sets the identity that the user interface of this login session shows. Files are not affected.
# An account must be usable: it is unlocked with the passphrase if it is locked.
# result: 0 success, 1 canceled (no passphrase), 2 notAllowed (a second managed account, or the
# thread acts for another identity), 3 failed (wrong passphrase, blocked by policy). thread: the
# calling one; null for the first one.
method SetUserInterfaceIdentity(
  identity: ?string,
  passphrase: ?string,
  passphraseDescriptor: ?int,
  thread: ?int
) -> (result: int, word: string, reason: string)

# The same with several identities, for a view that merges them; none may be nobody. More than
# one requires MultiManagedIdentities.
method SetUserInterfaceIdentities(
  identities: []string,
  thread: ?int
) -> (result: int, word: string, reason: string)

# identities: those set for the session; null if none. acting: the thread's identity; null if the
# session has several.
method GetUserInterfaceIdentity(
  thread: ?int
) -> (session: string, identities: ?[]string, acting: ?Acting)

# Needs more. From the first reply, which has no request, until the caller hangs up, operations that
# bring data into a login session that shows another identity (CanOpenURL for an account,
# CanReceive) wait for its programs that call this. The event identity-switch-required comes as
# without them.
method AwaitSwitches() -> (request: ?SwitchRequest)

# Answers for the login session: with result 0, success, the operation goes on; with 1 canceled, 2
# notAllowed, 3 failed, or without an answer in time, it is refused. The first answer counts.
# NotFound: nothing waits for it, or any more.
method AnswerSwitch(id: int, result: int) -> ()

# Gives an object id to an account that has none. Files that carry the name or the id belong to
# the account from now on; no file is written.
method LinkAccount(
  account: string,
  objectId: string,
  passphrase: ?string,
  passphraseDescriptor: ?int
) -> (name: string, objectId: string)

# The caller's accounts that cannot be used now, apart from locked ones.
method BlockedAccounts() -> (accounts: []BlockedAccount)

"""
}
