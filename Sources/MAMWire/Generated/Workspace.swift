// From docs/io.mamd.Workspace.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Workspace {
        package static let name = "io.mamd.Workspace"

        package enum Method: String, Sendable, CaseIterable {
            case status = "Status"
            case protectionInfo = "ProtectionInfo"
            case whyRefused = "WhyRefused"
            case inspect = "Inspect"
            case listAccounts = "ListAccounts"
            case registerAccount = "RegisterAccount"
            case changePassphrase = "ChangePassphrase"
            case lock = "Lock"
            case unlock = "Unlock"
            case keepOpen = "KeepOpen"
            case wipe = "Wipe"
            case watch = "Watch"
            case encrypt = "Encrypt"
            case decrypt = "Decrypt"
            case setOwner = "SetOwner"
            case setClass = "SetClass"
            case verify = "Verify"
            case setProcessIdentity = "SetProcessIdentity"
        }

        package enum ErrorName: String, Sendable, CaseIterable {
            case unknownAccount = "UnknownAccount"
            case accountExists = "AccountExists"
            case sealedFiles = "SealedFiles"
            case wrongPassphrase = "WrongPassphrase"
            case notTried = "NotTried"
            case windowClosed = "WindowClosed"
            case blocked = "Blocked"
            case notManaged = "NotManaged"
            case unmanagedOwner = "UnmanagedOwner"
            case notFound = "NotFound"
            case damaged = "Damaged"
            case refused = "Refused"
            case invalidInput = "InvalidInput"
            case systemError = "SystemError"
        }

        package struct Account: WireObject {
            package var id: String
            package var name: String
            package var objectID: String
            package var uid: Int
            package var state: String
            package var hasPassphrase: Bool
            package var isDefault: Bool
            package var retryAfterSeconds: Int
            package var stage: String
            package var statusCode: Int
            package var block: String
            package var blockReason: String
            package var blockWords: [String]?
            package var isRecoverable: Bool
            package var guessableSeconds: Int?
            package var openClasses: [String]?
            package var openFiles: Int?
            package var containedPrograms: Int?
            package var graceSeconds: Int?
            package var idleSeconds: Int?
            package var secondsSinceCheckIn: Int?
            package var offlineBlockSeconds: Int?
            package var offlineWipeSeconds: Int?
            package var policies: [String]?

            package init(
                id: String, name: String, objectID: String, uid: Int, state: String,
                hasPassphrase: Bool, isDefault: Bool, retryAfterSeconds: Int, stage: String,
                statusCode: Int, block: String, blockReason: String,
                blockWords: [String]? = nil, isRecoverable: Bool,
                guessableSeconds: Int? = nil, openClasses: [String]? = nil,
                openFiles: Int? = nil, containedPrograms: Int? = nil,
                graceSeconds: Int? = nil, idleSeconds: Int? = nil,
                secondsSinceCheckIn: Int? = nil, offlineBlockSeconds: Int? = nil,
                offlineWipeSeconds: Int? = nil, policies: [String]? = nil
            ) {
                self.id = id
                self.name = name
                self.objectID = objectID
                self.uid = uid
                self.state = state
                self.hasPassphrase = hasPassphrase
                self.isDefault = isDefault
                self.retryAfterSeconds = retryAfterSeconds
                self.stage = stage
                self.statusCode = statusCode
                self.block = block
                self.blockReason = blockReason
                self.blockWords = blockWords
                self.isRecoverable = isRecoverable
                self.guessableSeconds = guessableSeconds
                self.openClasses = openClasses
                self.openFiles = openFiles
                self.containedPrograms = containedPrograms
                self.graceSeconds = graceSeconds
                self.idleSeconds = idleSeconds
                self.secondsSinceCheckIn = secondsSinceCheckIn
                self.offlineBlockSeconds = offlineBlockSeconds
                self.offlineWipeSeconds = offlineWipeSeconds
                self.policies = policies
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    id: wire.value("id"), name: wire.value("name"),
                    objectID: wire.value("objectId"), uid: wire.value("uid"),
                    state: wire.value("state"), hasPassphrase: wire.value("hasPassphrase"),
                    isDefault: wire.value("isDefault"),
                    retryAfterSeconds: wire.value("retryAfterSeconds"),
                    stage: wire.value("stage"), statusCode: wire.value("statusCode"),
                    block: wire.value("block"), blockReason: wire.value("blockReason"),
                    blockWords: wire.value("blockWords"),
                    isRecoverable: wire.value("isRecoverable"),
                    guessableSeconds: wire.value("guessableSeconds"),
                    openClasses: wire.value("openClasses"), openFiles: wire.value("openFiles"),
                    containedPrograms: wire.value("containedPrograms"),
                    graceSeconds: wire.value("graceSeconds"),
                    idleSeconds: wire.value("idleSeconds"),
                    secondsSinceCheckIn: wire.value("secondsSinceCheckIn"),
                    offlineBlockSeconds: wire.value("offlineBlockSeconds"),
                    offlineWipeSeconds: wire.value("offlineWipeSeconds"),
                    policies: wire.value("policies")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "id": id.json, "name": name.json, "objectId": objectID.json,
                    "uid": uid.json, "state": state.json, "hasPassphrase": hasPassphrase.json,
                    "isDefault": isDefault.json, "retryAfterSeconds": retryAfterSeconds.json,
                    "stage": stage.json, "statusCode": statusCode.json, "block": block.json,
                    "blockReason": blockReason.json, "blockWords": blockWords.json,
                    "isRecoverable": isRecoverable.json,
                    "guessableSeconds": guessableSeconds.json, "openClasses": openClasses.json,
                    "openFiles": openFiles.json, "containedPrograms": containedPrograms.json,
                    "graceSeconds": graceSeconds.json, "idleSeconds": idleSeconds.json,
                    "secondsSinceCheckIn": secondsSinceCheckIn.json,
                    "offlineBlockSeconds": offlineBlockSeconds.json,
                    "offlineWipeSeconds": offlineWipeSeconds.json, "policies": policies.json
                ]
            }
        }

        package struct Protection: WireObject {
            package var owner: String
            package var ownerObjectID: String
            package var managed: Bool
            package var `class`: String?
            package var effectiveClass: String?
            package var state: String
            package var reason: String
            package var words: [String]?

            package init(
                owner: String, ownerObjectID: String, managed: Bool, class: String? = nil,
                effectiveClass: String? = nil, state: String, reason: String,
                words: [String]? = nil
            ) {
                self.owner = owner
                self.ownerObjectID = ownerObjectID
                self.managed = managed
                self.`class` = `class`
                self.effectiveClass = effectiveClass
                self.state = state
                self.reason = reason
                self.words = words
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), ownerObjectID: wire.value("ownerObjectId"),
                    managed: wire.value("managed"), class: wire.value("class"),
                    effectiveClass: wire.value("effectiveClass"), state: wire.value("state"),
                    reason: wire.value("reason"), words: wire.value("words")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "ownerObjectId": ownerObjectID.json,
                    "managed": managed.json, "class": `class`.json,
                    "effectiveClass": effectiveClass.json, "state": state.json,
                    "reason": reason.json, "words": words.json
                ]
            }
        }

        package struct Straggler: WireObject {
            package var path: String
            package var processes: [Process]

            package init(path: String, processes: [Process]) {
                self.path = path
                self.processes = processes
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(path: wire.value("path"), processes: wire.value("processes"))
            }

            package var members: [String: JSONValue] {
                ["path": path.json, "processes": processes.json]
            }
        }

        package struct Process: WireObject {
            package var pid: Int
            package var name: String

            package init(pid: Int, name: String) {
                self.pid = pid
                self.name = name
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(pid: wire.value("pid"), name: wire.value("name"))
            }

            package var members: [String: JSONValue] { ["pid": pid.json, "name": name.json] }
        }

        package struct Event: WireObject {
            package var event: String
            package var account: Account?
            package var seconds: Int?
            package var kind: String?
            package var reason: String?
            package var words: [String]?
            package var code: Int?
            package var succeeded: Bool?
            package var session: String?
            package var document: String?
            package var name: String?

            package init(
                event: String, account: Account? = nil, seconds: Int? = nil,
                kind: String? = nil, reason: String? = nil, words: [String]? = nil,
                code: Int? = nil, succeeded: Bool? = nil, session: String? = nil,
                document: String? = nil, name: String? = nil
            ) {
                self.event = event
                self.account = account
                self.seconds = seconds
                self.kind = kind
                self.reason = reason
                self.words = words
                self.code = code
                self.succeeded = succeeded
                self.session = session
                self.document = document
                self.name = name
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    event: wire.value("event"), account: wire.value("account"),
                    seconds: wire.value("seconds"), kind: wire.value("kind"),
                    reason: wire.value("reason"), words: wire.value("words"),
                    code: wire.value("code"), succeeded: wire.value("succeeded"),
                    session: wire.value("session"), document: wire.value("document"),
                    name: wire.value("name")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "event": event.json, "account": account.json, "seconds": seconds.json,
                    "kind": kind.json, "reason": reason.json, "words": words.json,
                    "code": code.json, "succeeded": succeeded.json, "session": session.json,
                    "document": document.json, "name": name.json
                ]
            }
        }

        package struct BlockRange: WireObject {
            package var first: Int
            package var last: Int

            package init(first: Int, last: Int) {
                self.first = first
                self.last = last
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(first: wire.value("first"), last: wire.value("last"))
            }

            package var members: [String: JSONValue] {
                ["first": first.json, "last": last.json]
            }
        }

        package struct Finding: WireObject {
            package var path: String
            package var place: String
            package var problem: String
            package var reason: String
            package var words: [String]?
            package var blocks: [BlockRange]
            package var blockCount: Int
            package var outcome: String
            package var action: String?

            package init(
                path: String, place: String, problem: String, reason: String,
                words: [String]? = nil, blocks: [BlockRange], blockCount: Int,
                outcome: String, action: String? = nil
            ) {
                self.path = path
                self.place = place
                self.problem = problem
                self.reason = reason
                self.words = words
                self.blocks = blocks
                self.blockCount = blockCount
                self.outcome = outcome
                self.action = action
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), place: wire.value("place"),
                    problem: wire.value("problem"), reason: wire.value("reason"),
                    words: wire.value("words"), blocks: wire.value("blocks"),
                    blockCount: wire.value("blockCount"), outcome: wire.value("outcome"),
                    action: wire.value("action")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "path": path.json, "place": place.json, "problem": problem.json,
                    "reason": reason.json, "words": words.json, "blocks": blocks.json,
                    "blockCount": blockCount.json, "outcome": outcome.json,
                    "action": action.json
                ]
            }
        }

        package struct VerifyCounts: WireObject {
            package var files: Int
            package var bytes: Int
            package var totalBytes: Int
            package var uncheckedFiles: Int
            package var left: Int
            package var repaired: Int
            package var incomplete: Int
            package var quarantined: Int
            package var unchecked: Int
            package var unreadable: Int
            package var foreign: Int

            package init(
                files: Int, bytes: Int, totalBytes: Int, uncheckedFiles: Int, left: Int,
                repaired: Int, incomplete: Int, quarantined: Int, unchecked: Int,
                unreadable: Int, foreign: Int
            ) {
                self.files = files
                self.bytes = bytes
                self.totalBytes = totalBytes
                self.uncheckedFiles = uncheckedFiles
                self.left = left
                self.repaired = repaired
                self.incomplete = incomplete
                self.quarantined = quarantined
                self.unchecked = unchecked
                self.unreadable = unreadable
                self.foreign = foreign
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    files: wire.value("files"), bytes: wire.value("bytes"),
                    totalBytes: wire.value("totalBytes"),
                    uncheckedFiles: wire.value("uncheckedFiles"), left: wire.value("left"),
                    repaired: wire.value("repaired"), incomplete: wire.value("incomplete"),
                    quarantined: wire.value("quarantined"), unchecked: wire.value("unchecked"),
                    unreadable: wire.value("unreadable"), foreign: wire.value("foreign")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "files": files.json, "bytes": bytes.json, "totalBytes": totalBytes.json,
                    "uncheckedFiles": uncheckedFiles.json, "left": left.json,
                    "repaired": repaired.json, "incomplete": incomplete.json,
                    "quarantined": quarantined.json, "unchecked": unchecked.json,
                    "unreadable": unreadable.json, "foreign": foreign.json
                ]
            }
        }

        package struct LastVerify: WireObject {
            package var time: Int
            package var repair: Bool
            package var counts: VerifyCounts

            package init(time: Int, repair: Bool, counts: VerifyCounts) {
                self.time = time
                self.repair = repair
                self.counts = counts
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    time: wire.value("time"), repair: wire.value("repair"),
                    counts: wire.value("counts")
                )
            }

            package var members: [String: JSONValue] {
                ["time": time.json, "repair": repair.json, "counts": counts.json]
            }
        }

        package struct RefusedDocument: WireObject {
            package var file: String
            package var reason: String
            package var since: Int
            package var lastGoodInForce: Bool
            package var inForce: String?
            package var inForceSince: Int?

            package init(
                file: String, reason: String, since: Int, lastGoodInForce: Bool,
                inForce: String? = nil, inForceSince: Int? = nil
            ) {
                self.file = file
                self.reason = reason
                self.since = since
                self.lastGoodInForce = lastGoodInForce
                self.inForce = inForce
                self.inForceSince = inForceSince
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    file: wire.value("file"), reason: wire.value("reason"),
                    since: wire.value("since"), lastGoodInForce: wire.value("lastGoodInForce"),
                    inForce: wire.value("inForce"), inForceSince: wire.value("inForceSince")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "file": file.json, "reason": reason.json, "since": since.json,
                    "lastGoodInForce": lastGoodInForce.json, "inForce": inForce.json,
                    "inForceSince": inForceSince.json
                ]
            }
        }

        package struct Status: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Workspace.Status"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var name: String
                package var id: String
                package var version: String
                package var backingDirectory: String
                package var mountPoint: String
                package var transport: String?
                package var transportNote: String?
                package var readOnly: Bool
                package var pid: Int
                package var uid: Int
                package var multiIdentity: Bool
                package var maximumClass: String
                package var openFiles: Int
                package var accounts: [Account]
                package var needsImport: Bool
                package var lastVerify: LastVerify?
                package var refused: [RefusedDocument]?
                package var backingGone: Bool?

                package init(
                    name: String, id: String, version: String, backingDirectory: String,
                    mountPoint: String, transport: String? = nil, transportNote: String? = nil,
                    readOnly: Bool, pid: Int, uid: Int, multiIdentity: Bool,
                    maximumClass: String, openFiles: Int, accounts: [Account],
                    needsImport: Bool, lastVerify: LastVerify? = nil,
                    refused: [RefusedDocument]? = nil, backingGone: Bool? = nil
                ) {
                    self.name = name
                    self.id = id
                    self.version = version
                    self.backingDirectory = backingDirectory
                    self.mountPoint = mountPoint
                    self.transport = transport
                    self.transportNote = transportNote
                    self.readOnly = readOnly
                    self.pid = pid
                    self.uid = uid
                    self.multiIdentity = multiIdentity
                    self.maximumClass = maximumClass
                    self.openFiles = openFiles
                    self.accounts = accounts
                    self.needsImport = needsImport
                    self.lastVerify = lastVerify
                    self.refused = refused
                    self.backingGone = backingGone
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        name: wire.value("name"), id: wire.value("id"),
                        version: wire.value("version"),
                        backingDirectory: wire.value("backingDirectory"),
                        mountPoint: wire.value("mountPoint"), transport: wire.value("transport"),
                        transportNote: wire.value("transportNote"),
                        readOnly: wire.value("readOnly"), pid: wire.value("pid"),
                        uid: wire.value("uid"), multiIdentity: wire.value("multiIdentity"),
                        maximumClass: wire.value("maximumClass"),
                        openFiles: wire.value("openFiles"), accounts: wire.value("accounts"),
                        needsImport: wire.value("needsImport"),
                        lastVerify: wire.value("lastVerify"), refused: wire.value("refused"),
                        backingGone: wire.value("backingGone")
                    )
                }

                package var members: [String: JSONValue] {
                    [
                        "name": name.json, "id": id.json, "version": version.json,
                        "backingDirectory": backingDirectory.json, "mountPoint": mountPoint.json,
                        "transport": transport.json, "transportNote": transportNote.json,
                        "readOnly": readOnly.json, "pid": pid.json, "uid": uid.json,
                        "multiIdentity": multiIdentity.json, "maximumClass": maximumClass.json,
                        "openFiles": openFiles.json, "accounts": accounts.json,
                        "needsImport": needsImport.json, "lastVerify": lastVerify.json,
                        "refused": refused.json, "backingGone": backingGone.json
                    ]
                }
            }
        }

        package struct Refusal: WireObject {
            package var error: String
            package var errno: Int
            package var account: String?
            package var kind: String?
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                error: String, errno: Int, account: String? = nil, kind: String? = nil,
                reason: String, words: [String]? = nil, next: String? = nil
            ) {
                self.error = error
                self.errno = errno
                self.account = account
                self.kind = kind
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    error: wire.value("error"), errno: wire.value("errno"),
                    account: wire.value("account"), kind: wire.value("kind"),
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "error": error.json, "errno": errno.json, "account": account.json,
                    "kind": kind.json, "reason": reason.json, "words": words.json,
                    "next": next.json
                ]
            }
        }

        package struct ProtectionInfo: VarlinkRequest {
            package static let method = "io.mamd.Workspace.ProtectionInfo"
            package static let memberNames: Set<String> = [
                "path", "fileDescriptor", "device", "inode"
            ]

            package var path: String?
            package var fileDescriptor: Int?
            package var device: Int?
            package var inode: Int?

            package init(
                path: String? = nil, fileDescriptor: Int? = nil, device: Int? = nil,
                inode: Int? = nil
            ) {
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.device = device
                self.inode = inode
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    device: wire.value("device"), inode: wire.value("inode")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "path": path.json, "fileDescriptor": fileDescriptor.json,
                    "device": device.json, "inode": inode.json
                ]
            }

            package struct Reply: WireObject {
                package var protection: Protection

                package init(protection: Protection) {
                    self.protection = protection
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(protection: wire.value("protection"))
                }

                package var members: [String: JSONValue] { ["protection": protection.json] }
            }
        }

        package struct WhyRefused: VarlinkRequest {
            package static let method = "io.mamd.Workspace.WhyRefused"
            package static let memberNames: Set<String> = ["path", "fileDescriptor", "act"]

            package var path: String?
            package var fileDescriptor: Int?
            package var act: String

            package init(path: String? = nil, fileDescriptor: Int? = nil, act: String) {
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.act = act
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    act: wire.value("act")
                )
            }

            package var members: [String: JSONValue] {
                ["path": path.json, "fileDescriptor": fileDescriptor.json, "act": act.json]
            }

            package struct Reply: WireObject {
                package var refusal: Refusal?

                package init(refusal: Refusal? = nil) {
                    self.refusal = refusal
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(refusal: wire.value("refusal"))
                }

                package var members: [String: JSONValue] { ["refusal": refusal.json] }
            }
        }

        package struct Inspected: WireObject {
            package var protection: Protection?
            package var failure: Refusal?
            package var refusal: Refusal?
            package var holds: Bool?
            package var count: Int?

            package init(
                protection: Protection? = nil, failure: Refusal? = nil,
                refusal: Refusal? = nil, holds: Bool? = nil, count: Int? = nil
            ) {
                self.protection = protection
                self.failure = failure
                self.refusal = refusal
                self.holds = holds
                self.count = count
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    protection: wire.value("protection"), failure: wire.value("failure"),
                    refusal: wire.value("refusal"), holds: wire.value("holds"),
                    count: wire.value("count")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "protection": protection.json, "failure": failure.json,
                    "refusal": refusal.json, "holds": holds.json, "count": count.json
                ]
            }
        }

        package struct Inspect: VarlinkRequest {
            package static let method = "io.mamd.Workspace.Inspect"
            package static let memberNames: Set<String> = [
                "fileDescriptors", "act", "content", "brief"
            ]

            package var fileDescriptors: [Int]
            package var act: String?
            package var content: Bool?
            package var brief: Bool?

            package init(
                fileDescriptors: [Int], act: String? = nil, content: Bool? = nil,
                brief: Bool? = nil
            ) {
                self.fileDescriptors = fileDescriptors
                self.act = act
                self.content = content
                self.brief = brief
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    fileDescriptors: wire.value("fileDescriptors"), act: wire.value("act"),
                    content: wire.value("content"), brief: wire.value("brief")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "fileDescriptors": fileDescriptors.json, "act": act.json,
                    "content": content.json, "brief": brief.json
                ]
            }

            package struct Reply: WireObject {
                package var files: [Inspected]

                package init(files: [Inspected]) {
                    self.files = files
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(files: wire.value("files"))
                }

                package var members: [String: JSONValue] { ["files": files.json] }
            }
        }

        package struct ListAccounts: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Workspace.ListAccounts"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var accounts: [Account]

                package init(accounts: [Account]) {
                    self.accounts = accounts
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(accounts: wire.value("accounts"))
                }

                package var members: [String: JSONValue] { ["accounts": accounts.json] }
            }
        }

        package struct RegisterAccount: VarlinkRequest {
            package static let method = "io.mamd.Workspace.RegisterAccount"
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
                package var account: Account

                package init(account: Account) {
                    self.account = account
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(account: wire.value("account"))
                }

                package var members: [String: JSONValue] { ["account": account.json] }
            }
        }

        package struct ChangePassphrase: VarlinkRequest {
            package static let method = "io.mamd.Workspace.ChangePassphrase"
            package static let memberNames: Set<String> = [
                "account", "passphrase", "passphraseDescriptor", "newPassphrase",
                "newPassphraseDescriptor", "noPassphrase"
            ]

            package var account: String
            package var passphrase: String?
            package var passphraseDescriptor: Int?
            package var newPassphrase: String?
            package var newPassphraseDescriptor: Int?
            package var noPassphrase: Bool?

            package init(
                account: String, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil, newPassphrase: String? = nil,
                newPassphraseDescriptor: Int? = nil, noPassphrase: Bool? = nil
            ) {
                self.account = account
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
                self.newPassphrase = newPassphrase
                self.newPassphraseDescriptor = newPassphraseDescriptor
                self.noPassphrase = noPassphrase
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor"),
                    newPassphrase: wire.value("newPassphrase"),
                    newPassphraseDescriptor: wire.value("newPassphraseDescriptor"),
                    noPassphrase: wire.value("noPassphrase")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json,
                    "newPassphrase": newPassphrase.json,
                    "newPassphraseDescriptor": newPassphraseDescriptor.json,
                    "noPassphrase": noPassphrase.json
                ]
            }

            package typealias Reply = RegisterAccount.Reply
        }

        package struct Lock: VarlinkRequest {
            package static let method = "io.mamd.Workspace.Lock"
            package static let memberNames: Set<String> = ["account", "now"]

            package var account: String?
            package var now: Bool?

            package init(account: String? = nil, now: Bool? = nil) {
                self.account = account
                self.now = now
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"), now: wire.value("now"))
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "now": now.json]
            }

            package struct Reply: WireObject {
                package var accounts: [Account]
                package var stragglers: [Straggler]

                package init(accounts: [Account], stragglers: [Straggler]) {
                    self.accounts = accounts
                    self.stragglers = stragglers
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        accounts: wire.value("accounts"), stragglers: wire.value("stragglers")
                    )
                }

                package var members: [String: JSONValue] {
                    ["accounts": accounts.json, "stragglers": stragglers.json]
                }
            }
        }

        package struct Unlock: VarlinkRequest {
            package static let method = "io.mamd.Workspace.Unlock"
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

            package typealias Reply = RegisterAccount.Reply
        }

        package struct KeepOpen: VarlinkRequest {
            package static let method = "io.mamd.Workspace.KeepOpen"
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
                package var idleSeconds: Int?

                package init(idleSeconds: Int? = nil) {
                    self.idleSeconds = idleSeconds
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(idleSeconds: wire.value("idleSeconds"))
                }

                package var members: [String: JSONValue] { ["idleSeconds": idleSeconds.json] }
            }
        }

        package struct Wipe: VarlinkRequest {
            package static let method = "io.mamd.Workspace.Wipe"
            package static let memberNames: Set<String> = ["account", "confirmed"]

            package var account: String
            package var confirmed: Bool?

            package init(account: String, confirmed: Bool? = nil) {
                self.account = account
                self.confirmed = confirmed
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), confirmed: wire.value("confirmed")
                )
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "confirmed": confirmed.json]
            }

            package struct Reply: WireObject {
                package var complete: Bool
                package var files: Int
                package var scanned: Int
                package var opened: Int
                package var left: [String]
                package var stragglers: [Straggler]
                package var elsewhere: Bool?

                package init(
                    complete: Bool, files: Int, scanned: Int, opened: Int, left: [String],
                    stragglers: [Straggler], elsewhere: Bool? = nil
                ) {
                    self.complete = complete
                    self.files = files
                    self.scanned = scanned
                    self.opened = opened
                    self.left = left
                    self.stragglers = stragglers
                    self.elsewhere = elsewhere
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        complete: wire.value("complete"), files: wire.value("files"),
                        scanned: wire.value("scanned"), opened: wire.value("opened"),
                        left: wire.value("left"), stragglers: wire.value("stragglers"),
                        elsewhere: wire.value("elsewhere")
                    )
                }

                package var members: [String: JSONValue] {
                    [
                        "complete": complete.json, "files": files.json, "scanned": scanned.json,
                        "opened": opened.json, "left": left.json, "stragglers": stragglers.json,
                        "elsewhere": elsewhere.json
                    ]
                }
            }
        }

        package struct Watch: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.Workspace.Watch"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var event: Event

                package init(event: Event) {
                    self.event = event
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(event: wire.value("event"))
                }

                package var members: [String: JSONValue] { ["event": event.json] }
            }
        }

        package struct Encrypt: VarlinkRequest {
            package static let method = "io.mamd.Workspace.Encrypt"
            package static let memberNames: Set<String> = [
                "owner", "sourcePath", "sourceDescriptor", "destinationPath",
                "destinationDescriptor", "override"
            ]

            package var owner: String?
            package var sourcePath: String?
            package var sourceDescriptor: Int?
            package var destinationPath: String?
            package var destinationDescriptor: Int?
            package var override: String?

            package init(
                owner: String? = nil, sourcePath: String? = nil,
                sourceDescriptor: Int? = nil, destinationPath: String? = nil,
                destinationDescriptor: Int? = nil, override: String? = nil
            ) {
                self.owner = owner
                self.sourcePath = sourcePath
                self.sourceDescriptor = sourceDescriptor
                self.destinationPath = destinationPath
                self.destinationDescriptor = destinationDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), sourcePath: wire.value("sourcePath"),
                    sourceDescriptor: wire.value("sourceDescriptor"),
                    destinationPath: wire.value("destinationPath"),
                    destinationDescriptor: wire.value("destinationDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "sourcePath": sourcePath.json,
                    "sourceDescriptor": sourceDescriptor.json,
                    "destinationPath": destinationPath.json,
                    "destinationDescriptor": destinationDescriptor.json,
                    "override": override.json
                ]
            }

            package struct Reply: WireObject {
                package var bytes: Int

                package init(bytes: Int) {
                    self.bytes = bytes
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(bytes: wire.value("bytes"))
                }

                package var members: [String: JSONValue] { ["bytes": bytes.json] }
            }
        }

        package struct Decrypt: VarlinkRequest {
            package static let method = "io.mamd.Workspace.Decrypt"
            package static let memberNames: Set<String> = [
                "sourcePath", "sourceDescriptor", "destinationPath",
                "destinationDescriptor", "override"
            ]

            package var sourcePath: String?
            package var sourceDescriptor: Int?
            package var destinationPath: String?
            package var destinationDescriptor: Int?
            package var override: String?

            package init(
                sourcePath: String? = nil, sourceDescriptor: Int? = nil,
                destinationPath: String? = nil, destinationDescriptor: Int? = nil,
                override: String? = nil
            ) {
                self.sourcePath = sourcePath
                self.sourceDescriptor = sourceDescriptor
                self.destinationPath = destinationPath
                self.destinationDescriptor = destinationDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    sourcePath: wire.value("sourcePath"),
                    sourceDescriptor: wire.value("sourceDescriptor"),
                    destinationPath: wire.value("destinationPath"),
                    destinationDescriptor: wire.value("destinationDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "sourcePath": sourcePath.json, "sourceDescriptor": sourceDescriptor.json,
                    "destinationPath": destinationPath.json,
                    "destinationDescriptor": destinationDescriptor.json,
                    "override": override.json
                ]
            }

            package typealias Reply = Encrypt.Reply
        }

        package struct SetOwner: VarlinkRequest {
            package static let method = "io.mamd.Workspace.SetOwner"
            package static let memberNames: Set<String> = [
                "owner", "unmanaged", "path", "fileDescriptor", "override"
            ]

            package var owner: String?
            package var unmanaged: Bool?
            package var path: String?
            package var fileDescriptor: Int?
            package var override: String?

            package init(
                owner: String? = nil, unmanaged: Bool? = nil, path: String? = nil,
                fileDescriptor: Int? = nil, override: String? = nil
            ) {
                self.owner = owner
                self.unmanaged = unmanaged
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), unmanaged: wire.value("unmanaged"),
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "unmanaged": unmanaged.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json, "override": override.json
                ]
            }

            package typealias Reply = ProtectionInfo.Reply
        }

        package struct SetClass: VarlinkRequest {
            package static let method = "io.mamd.Workspace.SetClass"
            package static let memberNames: Set<String> = [
                "class", "path", "fileDescriptor"
            ]

            package var `class`: String?
            package var path: String?
            package var fileDescriptor: Int?

            package init(
                class: String? = nil, path: String? = nil, fileDescriptor: Int? = nil
            ) {
                self.`class` = `class`
                self.path = path
                self.fileDescriptor = fileDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    class: wire.value("class"), path: wire.value("path"),
                    fileDescriptor: wire.value("fileDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "class": `class`.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json
                ]
            }

            package typealias Reply = ProtectionInfo.Reply
        }

        package struct Verify: VarlinkRequest {
            package static let method = "io.mamd.Workspace.Verify"
            package static let memberNames: Set<String> = [
                "path", "fileDescriptor", "repair"
            ]

            package var path: String?
            package var fileDescriptor: Int?
            package var repair: Bool?

            package init(
                path: String? = nil, fileDescriptor: Int? = nil, repair: Bool? = nil
            ) {
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.repair = repair
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    repair: wire.value("repair")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "path": path.json, "fileDescriptor": fileDescriptor.json,
                    "repair": repair.json
                ]
            }

            package struct Reply: WireObject {
                package var finding: Finding?
                package var progress: VerifyCounts?
                package var summary: VerifyCounts?

                package init(
                    finding: Finding? = nil, progress: VerifyCounts? = nil,
                    summary: VerifyCounts? = nil
                ) {
                    self.finding = finding
                    self.progress = progress
                    self.summary = summary
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        finding: wire.value("finding"), progress: wire.value("progress"),
                        summary: wire.value("summary")
                    )
                }

                package var members: [String: JSONValue] {
                    ["finding": finding.json, "progress": progress.json, "summary": summary.json]
                }
            }
        }

        package struct SetProcessIdentity: VarlinkRequest {
            package static let method = "io.mamd.Workspace.SetProcessIdentity"
            package static let memberNames: Set<String> = ["identity"]

            package var identity: String?

            package init(identity: String? = nil) {
                self.identity = identity
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(identity: wire.value("identity"))
            }

            package var members: [String: JSONValue] { ["identity": identity.json] }

            package typealias Reply = NoMembers
        }

        package struct UnknownAccount: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.UnknownAccount"

            package var account: String

            package init(account: String) {
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"))
            }

            package var members: [String: JSONValue] { ["account": account.json] }
        }

        package struct AccountExists: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.AccountExists"

            package var account: String

            package init(account: String) {
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"))
            }

            package var members: [String: JSONValue] { ["account": account.json] }
        }

        package struct SealedFiles: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.SealedFiles"

            package var account: String
            package var files: Int
            package var example: String?
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                account: String, files: Int, example: String? = nil, reason: String,
                words: [String]? = nil, next: String? = nil
            ) {
                self.account = account
                self.files = files
                self.example = example
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), files: wire.value("files"),
                    example: wire.value("example"), reason: wire.value("reason"),
                    words: wire.value("words"), next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "files": files.json, "example": example.json,
                    "reason": reason.json, "words": words.json, "next": next.json
                ]
            }
        }

        package struct WrongPassphrase: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.WrongPassphrase"

            package var account: String
            package var retryAfterSeconds: Int
            package var outlook: String?
            package var words: [String]?
            package var consequence: String?

            package init(
                account: String, retryAfterSeconds: Int, outlook: String? = nil,
                words: [String]? = nil, consequence: String? = nil
            ) {
                self.account = account
                self.retryAfterSeconds = retryAfterSeconds
                self.outlook = outlook
                self.words = words
                self.consequence = consequence
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"),
                    retryAfterSeconds: wire.value("retryAfterSeconds"),
                    outlook: wire.value("outlook"), words: wire.value("words"),
                    consequence: wire.value("consequence")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "retryAfterSeconds": retryAfterSeconds.json,
                    "outlook": outlook.json, "words": words.json,
                    "consequence": consequence.json
                ]
            }
        }

        package struct NotTried: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.NotTried"

            package var account: String
            package var retryAfterSeconds: Int
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                account: String, retryAfterSeconds: Int, reason: String,
                words: [String]? = nil, next: String? = nil
            ) {
                self.account = account
                self.retryAfterSeconds = retryAfterSeconds
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"),
                    retryAfterSeconds: wire.value("retryAfterSeconds"),
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "retryAfterSeconds": retryAfterSeconds.json,
                    "reason": reason.json, "words": words.json, "next": next.json
                ]
            }
        }

        package struct WindowClosed: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.WindowClosed"

            package var account: String

            package init(account: String) {
                self.account = account
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(account: wire.value("account"))
            }

            package var members: [String: JSONValue] { ["account": account.json] }
        }

        package struct Blocked: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.Blocked"

            package var account: String
            package var kind: String
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                account: String, kind: String, reason: String, words: [String]? = nil,
                next: String? = nil
            ) {
                self.account = account
                self.kind = kind
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), kind: wire.value("kind"),
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "kind": kind.json, "reason": reason.json,
                    "words": words.json, "next": next.json
                ]
            }
        }

        package struct NotManaged: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.NotManaged"

            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(reason: String, words: [String]? = nil, next: String? = nil) {
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                ["reason": reason.json, "words": words.json, "next": next.json]
            }
        }

        package struct UnmanagedOwner: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.UnmanagedOwner"

            package var account: String
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                account: String, reason: String, words: [String]? = nil, next: String? = nil
            ) {
                self.account = account
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), reason: wire.value("reason"),
                    words: wire.value("words"), next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "reason": reason.json, "words": words.json,
                    "next": next.json
                ]
            }
        }

        package struct NotFound: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.NotFound"

            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(reason: String, words: [String]? = nil, next: String? = nil) {
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                ["reason": reason.json, "words": words.json, "next": next.json]
            }
        }

        package struct Damaged: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.Damaged"

            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(reason: String, words: [String]? = nil, next: String? = nil) {
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                ["reason": reason.json, "words": words.json, "next": next.json]
            }
        }

        package struct Refused: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.Refused"

            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(reason: String, words: [String]? = nil, next: String? = nil) {
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                ["reason": reason.json, "words": words.json, "next": next.json]
            }
        }

        package struct InvalidInput: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.InvalidInput"

            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(reason: String, words: [String]? = nil, next: String? = nil) {
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                ["reason": reason.json, "words": words.json, "next": next.json]
            }
        }

        package struct SystemError: VarlinkFailure {
            package static let errorName = "io.mamd.Workspace.SystemError"

            package var errno: Int
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                errno: Int, reason: String, words: [String]? = nil, next: String? = nil
            ) {
                self.errno = errno
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    errno: wire.value("errno"), reason: wire.value("reason"),
                    words: wire.value("words"), next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "errno": errno.json, "reason": reason.json, "words": words.json,
                    "next": next.json
                ]
            }
        }
    }
}

extension Varlink.Workspace {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# One mounted workspace: the owners of files, whether files can be read, and the accounts.
#
# A parameter whose name ends in Descriptor is the index of a file descriptor that is passed with
# the call (SCM_RIGHTS).
interface io.mamd.Workspace

# Of another user's account a caller other than root and the daemon's user learns id, name,
# objectId, uid and state. The rest is then as of any account with a passphrase, and null.
# state: before-first-unlock, unlocked, grace, locked
type Account (
  id: string,
  name: string,
  objectId: string,
  uid: int,
  state: string,
  hasPassphrase: bool,
  # Whether it owns by default what this uid creates
  isDefault: bool,
  # Seconds until the next passphrase can be tried; 0: now
  retryAfterSeconds: int,
  # registered, enrolled, signed-out
  stage: string,
  # The last enrolment status: io.mamd.Enrollment
  statusCode: int,
  # What keeps it closed besides a lock, as in io.mamd.Enrollment; empty: nothing. blockWords:
  # blockReason's words, as in errors
  block: string,
  blockReason: string,
  blockWords: ?[]string,
  # Policy names a recovery key, whose private half opens the account's files
  isRecoverable: bool,
  # Seconds in which the owner of a stolen disk guesses the weakest passphrase that policy
  # allows, at 1,000 guesses a second. null: over a month, or there is no passphrase, or a
  # credential holds the device secret
  guessableSeconds: ?int,
  # From here on: only in replies of Status and ListAccounts. The classes whose files can be
  # opened now, and the number of files in use
  openClasses: ?[]string,
  openFiles: ?int,
  # The contained programs that were started for it, without those that they started
  containedPrograms: ?int,
  # Seconds until it locks: at the end of the current grace period; if its files stay unused.
  # null: never
  graceSeconds: ?int,
  idleSeconds: ?int,
  secondsSinceCheckIn: ?int,
  # Seconds until it is blocked, and wiped, unless a check-in succeeds; null: never
  offlineBlockSeconds: ?int,
  offlineWipeSeconds: ?int,
  # The policy documents that cover it
  policies: ?[]string
)

# class and effectiveClass: A, B, C, D, or null if not encrypted; of a directory, the class that
# its new files request, and the one they get
# state: foreign, unmanaged, unsealed, available, closed, key-missing, damaged, newer,
# directory
# words: the reason's, as in errors
type Protection (
  owner: string,
  ownerObjectId: string,
  managed: bool,
  class: ?string,
  effectiveClass: ?string,
  state: string,
  reason: string,
  words: ?[]string
)

# A file in the mount, and the processes that have it open or mapped, if the daemon can see them
type Straggler (
  path: string,
  processes: []Process
)

type Process (
  pid: int,
  name: string
)

# Of an account:
#   will-become-unavailable (seconds: 0 is now), unavailable, available
#   idle-lock-due (seconds: a minute, or a third of the time that it may be idle)
#   idle-lock-averted (it was used before: KeepOpen)
#   blocked (kind, reason, words), unblocked, wiped
#   policy-changed, app-config-changed
#   data-protection-changed: protect data again that you protected yourself
#   launch-warning (reason)
#   enrollment-status (kind: enrollment, policy, unenroll; code, succeeded, reason)
#   check-in (succeeded, reason)
#   user-status-changed (code), compliance-status (code), restart-required
#   identity-switch-required (code, session, name: the identity to switch to, empty: unmanaged)
#   ui-taken (session), ui-released (session)
# The code of identity-switch-required: 0 a link is opened for name, 1 a launch was canceled,
# 2 a document of name was received. 0 and 2 are sent once until the session's identity changes,
# and only if the session has one.
# Of the workspace, without an account, for root and the daemon's user: policy-refused
# (document, reason), account-to-add (name), allowed-accounts-changed, backing-gone. Codes are the
# Intune SDK's numbers.
type Event (
  event: string,
  account: ?Account,
  seconds: ?int,
  kind: ?string,
  reason: ?string,
  words: ?[]string,
  code: ?int,
  succeeded: ?bool,
  session: ?string,
  document: ?string,
  name: ?string
)

type BlockRange (
  first: int,
  last: int
)

# path: below the backing directory; of a keybag, below the state directory. Bytes that are not
# printable text are written as \\ooo.
# problem: header, size, blocks, lost, zeros, tail, end, newer, key-missing,
# unreadable, foreign, unsealed, unproved, directory-class, directory-owner, keybag,
# leftover, wipe
# blocks: of 4096 bytes of the backing file, at most 1000 ranges; blockCount: their number
# place: backing, state: the directory that path is relative to
# outcome: left, repaired, incomplete (repaired, but content may be missing), quarantined,
# unchecked, unreadable (no permission to read it), noted (nothing is wrong)
# action: what was done, or why nothing was; of quarantined, the path below the backing directory
# words: the reason's, as in errors
type Finding (
  path: string,
  place: string,
  problem: string,
  reason: string,
  words: ?[]string,
  blocks: []BlockRange,
  blockCount: int,
  outcome: string,
  action: ?string
)

# totalBytes: of the files found so far; uncheckedFiles: files whose content could not be checked
# because their key is missing. left, repaired, quarantined, unchecked and unreadable count
# findings; incomplete: of the repaired ones; foreign: files without a header, which are noted.
type VerifyCounts (
  files: int,
  bytes: int,
  totalBytes: int,
  uncheckedFiles: int,
  left: int,
  repaired: int,
  incomplete: int,
  quarantined: int,
  unchecked: int,
  unreadable: int,
  foreign: int
)

# The last completed check of the whole workspace. time: its end, in seconds since 1970.
# io.mamd.Report has its findings.
type LastVerify (
  time: int,
  repair: bool,
  counts: VerifyCounts
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

method Status() -> (
  name: string,
  id: string,
  version: string,
  backingDirectory: string,
  mountPoint: string,
  # device, io_uring: how requests arrive from the kernel; null without a mount. transportNote:
  # details, or why not through io_uring: if that failed, or was asked for and is not offered
  transport: ?string,
  transportNote: ?string,
  readOnly: bool,
  pid: int,
  uid: int,
  multiIdentity: bool,
  maximumClass: string,
  # Of the caller's accounts; for root and the daemon's user all files in use
  openFiles: int,
  accounts: []Account,
  # There are sealed files but no account: their keys have to be imported.
  needsImport: bool,
  # For root and the daemon's user
  lastVerify: ?LastVerify,
  # For them too: files of the policy directory that were refused. Earlier daemons leave it out
  refused: ?[]RefusedDocument,
  # The backing directory was deleted while it is mounted. Earlier daemons leave it out
  backingGone: ?bool
)

# The error with which calls of this interface refuse the same (its name without the interface's,
# and its members), and open(2)'s errno.
type Refusal (
  error: string,
  errno: int,
  account: ?string,
  kind: ?string,
  reason: string,
  words: ?[]string,
  next: ?string
)

# Takes one of path (absolute, inside the mount), fileDescriptor, or device and inode as stat(2)
# on the mount returns them.
method ProtectionInfo(
  path: ?string,
  fileDescriptor: ?int,
  device: ?int,
  inode: ?int
) -> (protection: Protection)

# What open(2) on the mount would refuse to the calling process: act is read or write of a file, or
# create in a directory. Null where no rule refuses it, and no account is closed; modes and access
# lists are the kernel's. It opens nothing, counts as no use, and is in no audit.
method WhyRefused(path: ?string, fileDescriptor: ?int, act: string) -> (refusal: ?Refusal)

# What the two say of one file: its protection, or why there is none; and the refusal, if any.
# holds: whether its content is protected data. count: of that many files in a row; null is one.
type Inspected (
  protection: ?Protection,
  failure: ?Refusal,
  refusal: ?Refusal,
  holds: ?bool,
  count: ?int
)

# ProtectionInfo of files, in their order, and WhyRefused of those that the act is for. Each may
# fail alone. content: the daemon reads the files for holds, which counts as a use. holds is null
# unless the act is read, for a file of which read is refused or would change the class, and for one
# that the caller does not own, or may not read as its owner. brief: files in a row whose answers
# are alike are told once.
method Inspect(
  fileDescriptors: []int,
  act: ?string,
  content: ?bool,
  brief: ?bool
) -> (files: []Inspected)

method ListAccounts() -> (accounts: []Account)

# Takes exactly one of passphrase, passphraseDescriptor (read to its end; one trailing newline is
# dropped), noPassphrase.
# newKeys: registers the account even if there are sealed files of that name whose keys are
# missing; otherwise the call fails with SealedFiles.
method RegisterAccount(
  name: string,
  objectId: ?string,
  passphrase: ?string,
  passphraseDescriptor: ?int,
  noPassphrase: ?bool,
  newKeys: ?bool
) -> (account: Account)

method ChangePassphrase(
  account: string,
  passphrase: ?string,
  passphraseDescriptor: ?int,
  newPassphrase: ?string,
  newPassphraseDescriptor: ?int,
  noPassphrase: ?bool
) -> (account: Account)

# Locks one account, or all that the caller may lock. now: without a grace period. stragglers:
# files whose reads or writes did not end by the lock's deadline; later writes to them are lost.
method Lock(account: ?string, now: ?bool) -> (accounts: []Account, stragglers: []Straggler)

# Unlocks one account; by default the caller's only one.
method Unlock(
  account: ?string,
  passphrase: ?string,
  passphraseDescriptor: ?int
) -> (account: Account)

# Counts as use of an account, by default of the caller's only one, whatever the class of its
# files: it is not locked for being idle until that time has passed once more. Nothing else is put
# off. Only for the account's own user, and only while it is unlocked: otherwise, also in a grace
# period, WindowClosed or Blocked. idleSeconds: as of Account
method KeepOpen(account: ?string) -> (idleSeconds: ?int)

# Destroys an account: its keys, then its files, wherever they are in the backing directory.
# complete: nothing is left; otherwise the daemon removes the rest at its next start, or at the
# next call. files: the number removed; left: paths below the backing directory that could not be
# removed; scanned: the number of files checked, and opened: of those, how many a key of the
# account opens, or would; stragglers: as of Lock. With more, earlier replies have files and
# scanned so far. elsewhere: whether the Wipe hook answered, with exit status 0, that what it keeps
# of the account elsewhere is gone; null: there is no hook. confirmed: the user was asked for
# confirmation; without it nothing is wiped.
method Wipe(
  account: string,
  confirmed: ?bool
) -> (
  complete: bool,
  files: int,
  scanned: int,
  opened: int,
  left: []string,
  stragglers: []Straggler,
  elsewhere: ?bool
)

# Sends the events of the accounts that the caller may lock, until it hangs up; first the current
# state of each. Call with more.
method Watch() -> (event: Event)

# Encrypts: reads the plain source from its start and writes a protected file of the owner into
# the empty destination. The source may be a pipe, which is read to its end. override: as for
# SetOwner, of a source in the mount that belongs to another account.
method Encrypt(
  owner: ?string,
  sourcePath: ?string,
  sourceDescriptor: ?int,
  destinationPath: ?string,
  destinationDescriptor: ?int,
  override: ?string
) -> (bytes: int)

# Decrypts: reads the protected source from its start and writes the plain content into the empty
# destination. The source is a file in either format, or a file in the mount: with protected data as
# its content, which is opened, or else with a managed owner, whose content is copied under the same
# rules. The destination may be a pipe: only verified content is written to it. Refused as by
# SetOwner to nobody, unless the destination is a file of the same account in the mount.
method Decrypt(
  sourcePath: ?string,
  sourceDescriptor: ?int,
  destinationPath: ?string,
  destinationDescriptor: ?int,
  override: ?string
) -> (bytes: int)

# Gives a file in the mount to another owner, and encrypts or decrypts it accordingly. "" is
# nobody. Of a directory, sets the owner of its new files; "" removes the setting. unmanaged:
# accepts an owner that is not a registered account, whose content becomes plain; otherwise such a
# name is UnmanagedOwner, unless the caller acts for it. Refused where the policy of the account
# that has the file lets the other not have it (docs/POLICY.md), or that of the other account does
# not take it in. override: the reason for acting against policy, which is audited; only for root,
# and only in a workspace that root's daemon serves.
method SetOwner(
  owner: ?string,
  unmanaged: ?bool,
  path: ?string,
  fileDescriptor: ?int,
  override: ?string
) -> (protection: Protection)

# Requests a class for a managed file, or for the new children of a directory. null: the class
# that policy requests.
method SetClass(class: ?string, path: ?string, fileDescriptor: ?int) -> (protection: Protection)

# Checks all files, or one file or directory, in the mount or in the backing directory. repair:
# repairs what can be repaired, and moves the rest to .mamd/quarantine. Call with more: each reply
# has one of the three members, the last one the summary.
method Verify(
  path: ?string,
  fileDescriptor: ?int,
  repair: ?bool
) -> (finding: ?Finding, progress: ?VerifyCounts, summary: ?VerifyCounts)

# Sets the identity that owns what the calling process and its children create. "" is nobody;
# null: the default.
method SetProcessIdentity(identity: ?string) -> ()

# reason: one sentence; words: the same for clients that speak to people in their language, by
# mamctl's catalogue (null: only the reason has it); next: a command to run, which the reason does
# not repeat (null: none)
#
# words are in prefix order, and their first characters say what they are: % a message, as gettext
# looks it up, and for each %s in it a word or message follows; = a value that no language changes;
# ! an error number; # a number; ? a count, whose next two are the messages for one and for many,
# and the values of the second follow; + how many sentences follow, which are one message.
# ["%%s is %s", "=plan", "%locked"] is "plan is locked".
error UnknownAccount (account: string)
error AccountExists (account: string)
# files: their number, and example: the first of them. Counts only the caller's own files, unless
# the caller is root or the daemon's user
error SealedFiles (
  account: string,
  files: int,
  example: ?string,
  reason: string,
  words: ?[]string,
  next: ?string
)
# account: empty if it is an export's or a recovery key's; outlook: the consequence of further wrong
# ones; words: the outlook's, as in errors; consequence: what this one has led to: locked-out, wiped
error WrongPassphrase (
  account: string,
  retryAfterSeconds: int,
  outlook: ?string,
  words: ?[]string,
  consequence: ?string
)
# The passphrase was not checked: it came too soon after a wrong one, or the record of wrong ones
# is damaged.
error NotTried (
  account: string,
  retryAfterSeconds: int,
  reason: string,
  words: ?[]string,
  next: ?string
)
error WindowClosed (account: string)
error Blocked (account: string, kind: string, reason: string, words: ?[]string, next: ?string)
error NotManaged (reason: string, words: ?[]string, next: ?string)
# The owner is not a registered account, and may be misspelt
error UnmanagedOwner (account: string, reason: string, words: ?[]string, next: ?string)
error NotFound (reason: string, words: ?[]string, next: ?string)
error Damaged (reason: string, words: ?[]string, next: ?string)
error Refused (reason: string, words: ?[]string, next: ?string)
error InvalidInput (reason: string, words: ?[]string, next: ?string)
error SystemError (errno: int, reason: string, words: ?[]string, next: ?string)

"""
}
