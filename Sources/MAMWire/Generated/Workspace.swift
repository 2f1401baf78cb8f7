// From docs/io.mamd.Workspace.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink { package enum Workspace {} }
extension Varlink.Workspace {
    package static let name = "io.mamd.Workspace"
    package enum Method: String, Sendable, CaseIterable {
        case status = "Status", protectionInfo = "ProtectionInfo", whyRefused = "WhyRefused",
            inspect = "Inspect", listAccounts = "ListAccounts", registerAccount = "RegisterAccount",
            changePassphrase = "ChangePassphrase", listSlots = "ListSlots", testSlot = "TestSlot",
            addSlot = "AddSlot", removeSlot = "RemoveSlot", lock = "Lock", unlock = "Unlock",
            keepOpen = "KeepOpen", wipe = "Wipe", watch = "Watch", encrypt = "Encrypt",
            decrypt = "Decrypt", setOwner = "SetOwner", setClass = "SetClass", verify = "Verify",
            setProcessIdentity = "SetProcessIdentity"
    }
    package enum ErrorName: String, Sendable, CaseIterable {
        case unknownAccount = "UnknownAccount", accountExists = "AccountExists",
            sealedFiles = "SealedFiles", wrongPassphrase = "WrongPassphrase", notTried = "NotTried",
            windowClosed = "WindowClosed", blocked = "Blocked", notManaged = "NotManaged",
            unmanagedOwner = "UnmanagedOwner", notFound = "NotFound", damaged = "Damaged",
            refused = "Refused", invalidInput = "InvalidInput", systemError = "SystemError"
    }

    package typealias WindowState = MAMModel.WindowState

    package enum Stage: String, WireWord { case registered, enrolled, signedOut }

    package typealias BlockKind = MAMModel.AccountBlock.Kind
    package typealias ProtectionClass = MAMModel.ProtectionClass

    package struct Account: WireObject, Equatable {
        package var id: String, name: String, objectID: String, uid: Int, state: WindowState,
            hasPassphrase: Bool, isDefault: Bool, retryAfterSeconds: Int, stage: Stage?,
            statusCode: Int, block: BlockKind?, blockReason: String, blockWords: [String]?,
            isRecoverable: Bool, guessableSeconds: Int?, openClasses: [ProtectionClass]?,
            openFiles: Int?, containedPrograms: Int?, graceSeconds: Int?, idleSeconds: Int?,
            secondsSinceCheckIn: Int?, offlineBlockSeconds: Int?, offlineWipeSeconds: Int?,
            policies: [String]?, lastTry: GuessConsequence?
        package init(id: String, name: String, objectID: String, uid: Int, state: WindowState,
            hasPassphrase: Bool, isDefault: Bool, retryAfterSeconds: Int, stage: Stage? = nil,
            statusCode: Int, block: BlockKind? = nil, blockReason: String,
            blockWords: [String]? = nil, isRecoverable: Bool, guessableSeconds: Int? = nil,
            openClasses: [ProtectionClass]? = nil, openFiles: Int? = nil,
            containedPrograms: Int? = nil, graceSeconds: Int? = nil, idleSeconds: Int? = nil,
            secondsSinceCheckIn: Int? = nil, offlineBlockSeconds: Int? = nil,
            offlineWipeSeconds: Int? = nil, policies: [String]? = nil,
            lastTry: GuessConsequence? = nil) {
            (self.id, self.name, self.objectID, self.uid, self.state, self.hasPassphrase,
                self.isDefault, self.retryAfterSeconds, self.stage, self.statusCode, self.block,
                self.blockReason, self.blockWords, self.isRecoverable, self.guessableSeconds,
                self.openClasses, self.openFiles, self.containedPrograms, self.graceSeconds,
                self.idleSeconds, self.secondsSinceCheckIn, self.offlineBlockSeconds,
                self.offlineWipeSeconds, self.policies, self.lastTry) = (id, name, objectID, uid,
                state, hasPassphrase, isDefault, retryAfterSeconds, stage, statusCode, block,
                blockReason, blockWords, isRecoverable, guessableSeconds, openClasses, openFiles,
                containedPrograms, graceSeconds, idleSeconds, secondsSinceCheckIn,
                offlineBlockSeconds, offlineWipeSeconds, policies, lastTry)
        }
        package static let codec = Codec(["id", "name", "objectId", "uid", "state", "hasPassphrase",
            "isDefault", "retryAfterSeconds", "stage", "statusCode", "block", "blockReason",
            "blockWords", "isRecoverable", "guessableSeconds", "openClasses", "openFiles",
            "containedPrograms", "graceSeconds", "idleSeconds", "secondsSinceCheckIn",
            "offlineBlockSeconds", "offlineWipeSeconds", "policies", "lastTry"], Self.init) {
            [$0.id.json, $0.name.json, $0.objectID.json, $0.uid.json, $0.state.json,
                $0.hasPassphrase.json, $0.isDefault.json, $0.retryAfterSeconds.json, $0.stage.json,
                $0.statusCode.json, $0.block.json, $0.blockReason.json, $0.blockWords.json,
                $0.isRecoverable.json, $0.guessableSeconds.json, $0.openClasses.json,
                $0.openFiles.json, $0.containedPrograms.json, $0.graceSeconds.json,
                $0.idleSeconds.json, $0.secondsSinceCheckIn.json, $0.offlineBlockSeconds.json,
                $0.offlineWipeSeconds.json, $0.policies.json, $0.lastTry.json]
        }
    }

    package typealias ProtectionState = MAMModel.ProtectionState

    package struct Protection: WireObject, Equatable {
        package var owner: String, ownerObjectID: String, managed: Bool, `class`: ProtectionClass?,
            effectiveClass: ProtectionClass?, state: ProtectionState, reason: String,
            words: [String]?
        package init(owner: String, ownerObjectID: String, managed: Bool,
            class: ProtectionClass? = nil, effectiveClass: ProtectionClass? = nil,
            state: ProtectionState, reason: String, words: [String]? = nil) {
            (self.owner, self.ownerObjectID, self.managed, self.`class`, self.effectiveClass,
                self.state, self.reason, self.words) = (owner, ownerObjectID, managed, `class`,
                effectiveClass, state, reason, words)
        }
        package static let codec = Codec(["owner", "ownerObjectId", "managed", "class",
            "effectiveClass", "state", "reason", "words"], Self.init) {
            [$0.owner.json, $0.ownerObjectID.json, $0.managed.json, $0.`class`.json,
                $0.effectiveClass.json, $0.state.json, $0.reason.json, $0.words.json]
        }
    }

    package struct Straggler: WireObject, Equatable {
        package var path: String, processes: [Process]
        package init(path: String, processes: [Process]) {
            (self.path, self.processes) = (path, processes)
        }
        package static let codec = Codec(["path", "processes"], Self.init) {
            [$0.path.json, $0.processes.json]
        }
    }

    package struct Process: WireObject, Equatable {
        package var pid: Int, name: String
        package init(pid: Int, name: String) { (self.pid, self.name) = (pid, name) }
        package static let codec = Codec(["pid", "name"], Self.init) { [$0.pid.json, $0.name.json] }
    }

    package struct Event: WireObject, Equatable {
        package var event: String, account: Account?, seconds: Int?, kind: String?, reason: String?,
            words: [String]?, code: Int?, succeeded: Bool?, session: String?, document: String?,
            name: String?
        package init(event: String, account: Account? = nil, seconds: Int? = nil,
            kind: String? = nil, reason: String? = nil, words: [String]? = nil, code: Int? = nil,
            succeeded: Bool? = nil, session: String? = nil, document: String? = nil,
            name: String? = nil) {
            (self.event, self.account, self.seconds, self.kind, self.reason, self.words, self.code,
                self.succeeded, self.session, self.document, self.name) = (event, account, seconds,
                kind, reason, words, code, succeeded, session, document, name)
        }
        package static let codec = Codec(["event", "account", "seconds", "kind", "reason", "words",
            "code", "succeeded", "session", "document", "name"], Self.init) {
            [$0.event.json, $0.account.json, $0.seconds.json, $0.kind.json, $0.reason.json,
                $0.words.json, $0.code.json, $0.succeeded.json, $0.session.json, $0.document.json,
                $0.name.json]
        }
    }

    package struct BlockRange: WireObject, Equatable {
        package var first: Int, last: Int
        package init(first: Int, last: Int) { (self.first, self.last) = (first, last) }
        package static let codec = Codec(["first", "last"], Self.init) {
            [$0.first.json, $0.last.json]
        }
    }

    package enum Problem: String, WireWord {
        case header, size, blocks, lost, zeros, tail, end, newer, keyMissing, unreadable, foreign,
            unsealed, unproved, directoryClass, directoryOwner, keybag, leftover, wipe
    }

    package enum Place: String, WireWord { case backing, state }

    package enum Outcome: String, WireWord {
        case left, repaired, incomplete, quarantined, unchecked, unreadable, noted
    }

    package struct Finding: WireObject, Equatable {
        package var path: String, place: Place, problem: Problem, reason: String, words: [String]?,
            blocks: [BlockRange], blockCount: Int, outcome: Outcome, action: String?
        package init(path: String, place: Place, problem: Problem, reason: String,
            words: [String]? = nil, blocks: [BlockRange], blockCount: Int, outcome: Outcome,
            action: String? = nil) {
            (self.path, self.place, self.problem, self.reason, self.words, self.blocks,
                self.blockCount, self.outcome, self.action) = (path, place, problem, reason, words,
                blocks, blockCount, outcome, action)
        }
        package static let codec = Codec(["path", "place", "problem", "reason", "words", "blocks",
            "blockCount", "outcome", "action"], Self.init) {
            [$0.path.json, $0.place.json, $0.problem.json, $0.reason.json, $0.words.json,
                $0.blocks.json, $0.blockCount.json, $0.outcome.json, $0.action.json]
        }
    }

    package struct VerifyCounts: WireObject, Equatable {
        package var files: Int, bytes: Int, totalBytes: Int, uncheckedFiles: Int, left: Int,
            repaired: Int, incomplete: Int, quarantined: Int, unchecked: Int, unreadable: Int,
            foreign: Int
        package init(files: Int, bytes: Int, totalBytes: Int, uncheckedFiles: Int, left: Int,
            repaired: Int, incomplete: Int, quarantined: Int, unchecked: Int, unreadable: Int,
            foreign: Int) {
            (self.files, self.bytes, self.totalBytes, self.uncheckedFiles, self.left, self.repaired,
                self.incomplete, self.quarantined, self.unchecked, self.unreadable,
                self.foreign) = (files, bytes, totalBytes, uncheckedFiles, left, repaired,
                incomplete, quarantined, unchecked, unreadable, foreign)
        }
        package static let codec = Codec(["files", "bytes", "totalBytes", "uncheckedFiles", "left",
            "repaired", "incomplete", "quarantined", "unchecked", "unreadable",
            "foreign"], Self.init) {
            [$0.files.json, $0.bytes.json, $0.totalBytes.json, $0.uncheckedFiles.json, $0.left.json,
                $0.repaired.json, $0.incomplete.json, $0.quarantined.json, $0.unchecked.json,
                $0.unreadable.json, $0.foreign.json]
        }
    }

    package struct LastVerify: WireObject, Equatable {
        package var time: Int, repair: Bool, counts: VerifyCounts
        package init(time: Int, repair: Bool, counts: VerifyCounts) {
            (self.time, self.repair, self.counts) = (time, repair, counts)
        }
        package static let codec = Codec(["time", "repair", "counts"], Self.init) {
            [$0.time.json, $0.repair.json, $0.counts.json]
        }
    }

    package struct RefusedDocument: WireObject, Equatable {
        package var file: String, reason: String, since: Int, lastGoodInForce: Bool,
            inForce: String?, inForceSince: Int?
        package init(file: String, reason: String, since: Int, lastGoodInForce: Bool,
            inForce: String? = nil, inForceSince: Int? = nil) {
            (self.file, self.reason, self.since, self.lastGoodInForce, self.inForce,
                self.inForceSince) = (file, reason, since, lastGoodInForce, inForce, inForceSince)
        }
        package static let codec = Codec(["file", "reason", "since", "lastGoodInForce", "inForce",
            "inForceSince"], Self.init) {
            [$0.file.json, $0.reason.json, $0.since.json, $0.lastGoodInForce.json, $0.inForce.json,
                $0.inForceSince.json]
        }
    }

    package enum Transport: String, WireWord { case device, io_uring }

    package struct Status: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var name: String, id: String, version: String, backingDirectory: String,
                mountPoint: String, transport: Transport?, transportNote: String?, readOnly: Bool,
                pid: Int, uid: Int, multiIdentity: Bool, maximumClass: ProtectionClass,
                openFiles: Int, accounts: [Account], needsImport: Bool, lastVerify: LastVerify?,
                refused: [RefusedDocument]?, backingGone: Bool?, replaced: Bool?
            package init(name: String, id: String, version: String, backingDirectory: String,
                mountPoint: String, transport: Transport? = nil, transportNote: String? = nil,
                readOnly: Bool, pid: Int, uid: Int, multiIdentity: Bool,
                maximumClass: ProtectionClass, openFiles: Int, accounts: [Account],
                needsImport: Bool, lastVerify: LastVerify? = nil, refused: [RefusedDocument]? = nil,
                backingGone: Bool? = nil, replaced: Bool? = nil) {
                (self.name, self.id, self.version, self.backingDirectory, self.mountPoint,
                    self.transport, self.transportNote, self.readOnly, self.pid, self.uid,
                    self.multiIdentity, self.maximumClass, self.openFiles, self.accounts,
                    self.needsImport, self.lastVerify, self.refused, self.backingGone,
                    self.replaced) = (name, id, version, backingDirectory, mountPoint, transport,
                    transportNote, readOnly, pid, uid, multiIdentity, maximumClass, openFiles,
                    accounts, needsImport, lastVerify, refused, backingGone, replaced)
            }
            package static let codec = Codec(["name", "id", "version", "backingDirectory",
                "mountPoint", "transport", "transportNote", "readOnly", "pid", "uid",
                "multiIdentity", "maximumClass", "openFiles", "accounts", "needsImport",
                "lastVerify", "refused", "backingGone", "replaced"], Self.init) {
                [$0.name.json, $0.id.json, $0.version.json, $0.backingDirectory.json,
                    $0.mountPoint.json, $0.transport.json, $0.transportNote.json, $0.readOnly.json,
                    $0.pid.json, $0.uid.json, $0.multiIdentity.json, $0.maximumClass.json,
                    $0.openFiles.json, $0.accounts.json, $0.needsImport.json, $0.lastVerify.json,
                    $0.refused.json, $0.backingGone.json, $0.replaced.json]
            }
        }
    }

    package struct Refusal: WireObject, Equatable {
        package var error: String, errno: Int, account: String?, kind: String?, reason: String,
            words: [String]?, next: String?
        package init(error: String, errno: Int, account: String? = nil, kind: String? = nil,
            reason: String, words: [String]? = nil, next: String? = nil) {
            (self.error, self.errno, self.account, self.kind, self.reason, self.words,
                self.next) = (error, errno, account, kind, reason, words, next)
        }
        package static let codec = Codec(["error", "errno", "account", "kind", "reason", "words",
            "next"], Self.init) {
            [$0.error.json, $0.errno.json, $0.account.json, $0.kind.json, $0.reason.json,
                $0.words.json, $0.next.json]
        }
    }

    package struct ProtectionInfo: VarlinkRequest {
        package var path: String?, fileDescriptor: Int?, device: Int?, inode: Int?
        package init(path: String? = nil, fileDescriptor: Int? = nil, device: Int? = nil,
            inode: Int? = nil) {
            (self.path, self.fileDescriptor, self.device, self.inode) = (path, fileDescriptor,
                device, inode)
        }
        package static let codec = Codec(["path", "fileDescriptor", "device", "inode"], Self.init) {
            [$0.path.json, $0.fileDescriptor.json, $0.device.json, $0.inode.json]
        }
        package struct Reply: WireObject {
            package var protection: Protection
            package init(protection: Protection) { self.protection = protection }
            package static let codec = Codec(["protection"], Self.init) { [$0.protection.json] }
        }
    }

    package typealias FileAct = MAMModel.FileAct

    package struct WhyRefused: VarlinkRequest {
        package var path: String?, fileDescriptor: Int?, act: FileAct
        package init(path: String? = nil, fileDescriptor: Int? = nil, act: FileAct) {
            (self.path, self.fileDescriptor, self.act) = (path, fileDescriptor, act)
        }
        package static let codec = Codec(["path", "fileDescriptor", "act"], Self.init) {
            [$0.path.json, $0.fileDescriptor.json, $0.act.json]
        }
        package struct Reply: WireObject {
            package var refusal: Refusal?
            package init(refusal: Refusal? = nil) { self.refusal = refusal }
            package static let codec = Codec(["refusal"], Self.init) { [$0.refusal.json] }
        }
    }

    package struct Inspected: WireObject, Equatable {
        package var protection: Protection?, failure: Refusal?, refusal: Refusal?, holds: Bool?,
            count: Int?
        package init(protection: Protection? = nil, failure: Refusal? = nil,
            refusal: Refusal? = nil, holds: Bool? = nil, count: Int? = nil) {
            (self.protection, self.failure, self.refusal, self.holds, self.count) = (protection,
                failure, refusal, holds, count)
        }
        package static let codec = Codec(["protection", "failure", "refusal", "holds",
            "count"], Self.init) {
            [$0.protection.json, $0.failure.json, $0.refusal.json, $0.holds.json, $0.count.json]
        }
    }

    package struct Inspect: VarlinkRequest {
        package var fileDescriptors: [Int], act: FileAct?, content: Bool?, brief: Bool?
        package init(fileDescriptors: [Int], act: FileAct? = nil, content: Bool? = nil,
            brief: Bool? = nil) {
            (self.fileDescriptors, self.act, self.content, self.brief) = (fileDescriptors, act,
                content, brief)
        }
        package static let codec = Codec(["fileDescriptors", "act", "content",
            "brief"], Self.init) {
            [$0.fileDescriptors.json, $0.act.json, $0.content.json, $0.brief.json]
        }
        package struct Reply: WireObject {
            package var files: [Inspected]
            package init(files: [Inspected]) { self.files = files }
            package static let codec = Codec(["files"], Self.init) { [$0.files.json] }
        }
    }

    package struct ListAccounts: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var accounts: [Account]
            package init(accounts: [Account]) { self.accounts = accounts }
            package static let codec = Codec(["accounts"], Self.init) { [$0.accounts.json] }
        }
    }

    package struct RegisterAccount: VarlinkRequest {
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
            package var account: Account
            package init(account: Account) { self.account = account }
            package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        }
    }

    package struct ChangePassphrase: VarlinkRequest {
        package var account: String, passphrase: String?, passphraseDescriptor: Int?,
            newPassphrase: String?, newPassphraseDescriptor: Int?, noPassphrase: Bool?
        package init(account: String, passphrase: String? = nil, passphraseDescriptor: Int? = nil,
            newPassphrase: String? = nil, newPassphraseDescriptor: Int? = nil,
            noPassphrase: Bool? = nil) {
            (self.account, self.passphrase, self.passphraseDescriptor, self.newPassphrase,
                self.newPassphraseDescriptor, self.noPassphrase) = (account, passphrase,
                passphraseDescriptor, newPassphrase, newPassphraseDescriptor, noPassphrase)
        }
        package static let codec = Codec(["account", "passphrase", "passphraseDescriptor",
            "newPassphrase", "newPassphraseDescriptor", "noPassphrase"], Self.init) {
            [$0.account.json, $0.passphrase.json, $0.passphraseDescriptor.json,
                $0.newPassphrase.json, $0.newPassphraseDescriptor.json, $0.noPassphrase.json]
        }
        package typealias Reply = RegisterAccount.Reply
    }

    package enum SlotType: String, WireWord { case passphrase, recovery, tpm }

    package struct Slot: WireObject, Equatable {
        package var id: String, type: SlotType, created: Int, pin: Bool?, pcrs: [Int]?
        package init(id: String, type: SlotType, created: Int, pin: Bool? = nil,
            pcrs: [Int]? = nil) {
            (self.id, self.type, self.created, self.pin, self.pcrs) = (id, type, created, pin, pcrs)
        }
        package static let codec = Codec(["id", "type", "created", "pin", "pcrs"], Self.init) {
            [$0.id.json, $0.type.json, $0.created.json, $0.pin.json, $0.pcrs.json]
        }
    }

    package struct ListSlots: VarlinkRequest {
        package var account: String
        package init(account: String) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var slots: [Slot]
            package init(slots: [Slot]) { self.slots = slots }
            package static let codec = Codec(["slots"], Self.init) { [$0.slots.json] }
        }
    }

    package struct TestSlot: VarlinkRequest {
        package var account: String, slot: String?, passphrase: String?, passphraseDescriptor: Int?
        package init(account: String, slot: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil) {
            (self.account, self.slot, self.passphrase, self.passphraseDescriptor) = (account, slot,
                passphrase, passphraseDescriptor)
        }
        package static let codec = Codec(["account", "slot", "passphrase",
            "passphraseDescriptor"], Self.init) {
            [$0.account.json, $0.slot.json, $0.passphrase.json, $0.passphraseDescriptor.json]
        }
        package struct Reply: WireObject {
            package var slot: Slot
            package init(slot: Slot) { self.slot = slot }
            package static let codec = Codec(["slot"], Self.init) { [$0.slot.json] }
        }
    }

    package struct AddSlot: VarlinkRequest {
        package var account: String, type: SlotType, pcrs: [Int]?, passphrase: String?,
            passphraseDescriptor: Int?, newPassphrase: String?, newPassphraseDescriptor: Int?
        package init(account: String, type: SlotType, pcrs: [Int]? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, newPassphrase: String? = nil,
            newPassphraseDescriptor: Int? = nil) {
            (self.account, self.type, self.pcrs, self.passphrase, self.passphraseDescriptor,
                self.newPassphrase, self.newPassphraseDescriptor) = (account, type, pcrs,
                passphrase, passphraseDescriptor, newPassphrase, newPassphraseDescriptor)
        }
        package static let codec = Codec(["account", "type", "pcrs", "passphrase",
            "passphraseDescriptor", "newPassphrase", "newPassphraseDescriptor"], Self.init) {
            [$0.account.json, $0.type.json, $0.pcrs.json, $0.passphrase.json,
                $0.passphraseDescriptor.json, $0.newPassphrase.json,
                $0.newPassphraseDescriptor.json]
        }
        package typealias Reply = TestSlot.Reply
    }

    package struct RemoveSlot: VarlinkRequest {
        package var account: String, slot: String, passphrase: String?, passphraseDescriptor: Int?
        package init(account: String, slot: String, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil) {
            (self.account, self.slot, self.passphrase, self.passphraseDescriptor) = (account, slot,
                passphrase, passphraseDescriptor)
        }
        package static let codec = Codec(["account", "slot", "passphrase",
            "passphraseDescriptor"], Self.init) {
            [$0.account.json, $0.slot.json, $0.passphrase.json, $0.passphraseDescriptor.json]
        }
        package typealias Reply = TestSlot.Reply
    }

    package struct Lock: VarlinkRequest {
        package var account: String?, now: Bool?
        package init(account: String? = nil, now: Bool? = nil) {
            (self.account, self.now) = (account, now)
        }
        package static let codec = Codec(["account", "now"], Self.init) {
            [$0.account.json, $0.now.json]
        }
        package struct Reply: WireObject {
            package var accounts: [Account], stragglers: [Straggler]
            package init(accounts: [Account], stragglers: [Straggler]) {
                (self.accounts, self.stragglers) = (accounts, stragglers)
            }
            package static let codec = Codec(["accounts", "stragglers"], Self.init) {
                [$0.accounts.json, $0.stragglers.json]
            }
        }
    }

    package struct Unlock: VarlinkRequest {
        package var account: String?, slot: String?, passphrase: String?,
            passphraseDescriptor: Int?, typed: Bool?
        package init(account: String? = nil, slot: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, typed: Bool? = nil) {
            (self.account, self.slot, self.passphrase, self.passphraseDescriptor,
                self.typed) = (account, slot, passphrase, passphraseDescriptor, typed)
        }
        package static let codec = Codec(["account", "slot", "passphrase", "passphraseDescriptor",
            "typed"], Self.init) {
            [$0.account.json, $0.slot.json, $0.passphrase.json, $0.passphraseDescriptor.json,
                $0.typed.json]
        }
        package typealias Reply = RegisterAccount.Reply
    }

    package struct KeepOpen: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var idleSeconds: Int?
            package init(idleSeconds: Int? = nil) { self.idleSeconds = idleSeconds }
            package static let codec = Codec(["idleSeconds"], Self.init) { [$0.idleSeconds.json] }
        }
    }

    package struct Wipe: VarlinkRequest {
        package var account: String, confirmed: Bool?
        package init(account: String, confirmed: Bool? = nil) {
            (self.account, self.confirmed) = (account, confirmed)
        }
        package static let codec = Codec(["account", "confirmed"], Self.init) {
            [$0.account.json, $0.confirmed.json]
        }
        package struct Reply: WireObject {
            package var complete: Bool, files: Int, scanned: Int, opened: Int, left: [String],
                stragglers: [Straggler], elsewhere: Bool?
            package init(complete: Bool, files: Int, scanned: Int, opened: Int, left: [String],
                stragglers: [Straggler], elsewhere: Bool? = nil) {
                (self.complete, self.files, self.scanned, self.opened, self.left, self.stragglers,
                    self.elsewhere) = (complete, files, scanned, opened, left, stragglers,
                    elsewhere)
            }
            package static let codec = Codec(["complete", "files", "scanned", "opened", "left",
                "stragglers", "elsewhere"], Self.init) {
                [$0.complete.json, $0.files.json, $0.scanned.json, $0.opened.json, $0.left.json,
                    $0.stragglers.json, $0.elsewhere.json]
            }
        }
    }

    package struct Watch: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var event: Event
            package init(event: Event) { self.event = event }
            package static let codec = Codec(["event"], Self.init) { [$0.event.json] }
        }
    }

    package struct Encrypt: VarlinkRequest {
        package var owner: String?, sourcePath: String?, sourceDescriptor: Int?,
            destinationPath: String?, destinationDescriptor: Int?, override: String?
        package init(owner: String? = nil, sourcePath: String? = nil, sourceDescriptor: Int? = nil,
            destinationPath: String? = nil, destinationDescriptor: Int? = nil,
            override: String? = nil) {
            (self.owner, self.sourcePath, self.sourceDescriptor, self.destinationPath,
                self.destinationDescriptor, self.override) = (owner, sourcePath, sourceDescriptor,
                destinationPath, destinationDescriptor, override)
        }
        package static let codec = Codec(["owner", "sourcePath", "sourceDescriptor",
            "destinationPath", "destinationDescriptor", "override"], Self.init) {
            [$0.owner.json, $0.sourcePath.json, $0.sourceDescriptor.json, $0.destinationPath.json,
                $0.destinationDescriptor.json, $0.override.json]
        }
        package struct Reply: WireObject {
            package var bytes: Int
            package init(bytes: Int) { self.bytes = bytes }
            package static let codec = Codec(["bytes"], Self.init) { [$0.bytes.json] }
        }
    }

    package struct Decrypt: VarlinkRequest {
        package var sourcePath: String?, sourceDescriptor: Int?, destinationPath: String?,
            destinationDescriptor: Int?, override: String?
        package init(sourcePath: String? = nil, sourceDescriptor: Int? = nil,
            destinationPath: String? = nil, destinationDescriptor: Int? = nil,
            override: String? = nil) {
            (self.sourcePath, self.sourceDescriptor, self.destinationPath,
                self.destinationDescriptor, self.override) = (sourcePath, sourceDescriptor,
                destinationPath, destinationDescriptor, override)
        }
        package static let codec = Codec(["sourcePath", "sourceDescriptor", "destinationPath",
            "destinationDescriptor", "override"], Self.init) {
            [$0.sourcePath.json, $0.sourceDescriptor.json, $0.destinationPath.json,
                $0.destinationDescriptor.json, $0.override.json]
        }
        package typealias Reply = Encrypt.Reply
    }

    package struct SetOwner: VarlinkRequest {
        package var owner: String?, unmanaged: Bool?, path: String?, fileDescriptor: Int?,
            override: String?
        package init(owner: String? = nil, unmanaged: Bool? = nil, path: String? = nil,
            fileDescriptor: Int? = nil, override: String? = nil) {
            (self.owner, self.unmanaged, self.path, self.fileDescriptor, self.override) = (owner,
                unmanaged, path, fileDescriptor, override)
        }
        package static let codec = Codec(["owner", "unmanaged", "path", "fileDescriptor",
            "override"], Self.init) {
            [$0.owner.json, $0.unmanaged.json, $0.path.json, $0.fileDescriptor.json,
                $0.override.json]
        }
        package typealias Reply = ProtectionInfo.Reply
    }

    package struct SetClass: VarlinkRequest {
        package var `class`: ProtectionClass?, path: String?, fileDescriptor: Int?
        package init(class: ProtectionClass? = nil, path: String? = nil,
            fileDescriptor: Int? = nil) {
            (self.`class`, self.path, self.fileDescriptor) = (`class`, path, fileDescriptor)
        }
        package static let codec = Codec(["class", "path", "fileDescriptor"], Self.init) {
            [$0.`class`.json, $0.path.json, $0.fileDescriptor.json]
        }
        package typealias Reply = ProtectionInfo.Reply
    }

    package struct Verify: VarlinkRequest {
        package var path: String?, fileDescriptor: Int?, repair: Bool?
        package init(path: String? = nil, fileDescriptor: Int? = nil, repair: Bool? = nil) {
            (self.path, self.fileDescriptor, self.repair) = (path, fileDescriptor, repair)
        }
        package static let codec = Codec(["path", "fileDescriptor", "repair"], Self.init) {
            [$0.path.json, $0.fileDescriptor.json, $0.repair.json]
        }
        package struct Reply: WireObject {
            package var finding: Finding?, progress: VerifyCounts?, summary: VerifyCounts?
            package init(finding: Finding? = nil, progress: VerifyCounts? = nil,
                summary: VerifyCounts? = nil) {
                (self.finding, self.progress, self.summary) = (finding, progress, summary)
            }
            package static let codec = Codec(["finding", "progress", "summary"], Self.init) {
                [$0.finding.json, $0.progress.json, $0.summary.json]
            }
        }
    }

    package struct SetProcessIdentity: VarlinkRequest {
        package var identity: String?
        package init(identity: String? = nil) { self.identity = identity }
        package static let codec = Codec(["identity"], Self.init) { [$0.identity.json] }
    }

    package struct UnknownAccount: VarlinkFailure {
        package var account: String
        package init(account: String) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
    }

    package struct AccountExists: VarlinkFailure {
        package var account: String
        package init(account: String) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
    }

    package struct SealedFiles: VarlinkFailure {
        package var account: String, files: Int, example: String?, reason: String, words: [String]?,
            next: String?
        package init(account: String, files: Int, example: String? = nil, reason: String,
            words: [String]? = nil, next: String? = nil) {
            (self.account, self.files, self.example, self.reason, self.words, self.next) = (account,
                files, example, reason, words, next)
        }
        package static let codec = Codec(["account", "files", "example", "reason", "words",
            "next"], Self.init) {
            [$0.account.json, $0.files.json, $0.example.json, $0.reason.json, $0.words.json,
                $0.next.json]
        }
    }

    package typealias GuessConsequence = MAMModel.GuessConsequence

    package struct WrongPassphrase: VarlinkFailure {
        package var account: String, retryAfterSeconds: Int, outlook: String?, words: [String]?,
            consequence: GuessConsequence?
        package init(account: String, retryAfterSeconds: Int, outlook: String? = nil,
            words: [String]? = nil, consequence: GuessConsequence? = nil) {
            (self.account, self.retryAfterSeconds, self.outlook, self.words,
                self.consequence) = (account, retryAfterSeconds, outlook, words, consequence)
        }
        package static let codec = Codec(["account", "retryAfterSeconds", "outlook", "words",
            "consequence"], Self.init) {
            [$0.account.json, $0.retryAfterSeconds.json, $0.outlook.json, $0.words.json,
                $0.consequence.json]
        }
    }

    package struct NotTried: VarlinkFailure {
        package var account: String, retryAfterSeconds: Int, reason: String, words: [String]?,
            next: String?
        package init(account: String, retryAfterSeconds: Int, reason: String,
            words: [String]? = nil, next: String? = nil) {
            (self.account, self.retryAfterSeconds, self.reason, self.words, self.next) = (account,
                retryAfterSeconds, reason, words, next)
        }
        package static let codec = Codec(["account", "retryAfterSeconds", "reason", "words",
            "next"], Self.init) {
            [$0.account.json, $0.retryAfterSeconds.json, $0.reason.json, $0.words.json,
                $0.next.json]
        }
    }

    package struct WindowClosed: VarlinkFailure {
        package var account: String
        package init(account: String) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
    }

    package struct Blocked: VarlinkFailure {
        package var account: String, kind: BlockKind, reason: String, words: [String]?,
            next: String?
        package init(account: String, kind: BlockKind, reason: String, words: [String]? = nil,
            next: String? = nil) {
            (self.account, self.kind, self.reason, self.words, self.next) = (account, kind, reason,
                words, next)
        }
        package static let codec = Codec(["account", "kind", "reason", "words",
            "next"], Self.init) {
            [$0.account.json, $0.kind.json, $0.reason.json, $0.words.json, $0.next.json]
        }
    }

    package struct NotManaged: VarlinkFailure {
        package var reason: String, words: [String]?, next: String?
        package init(reason: String, words: [String]? = nil, next: String? = nil) {
            (self.reason, self.words, self.next) = (reason, words, next)
        }
        package static let codec = Codec(["reason", "words", "next"], Self.init) {
            [$0.reason.json, $0.words.json, $0.next.json]
        }
    }

    package struct UnmanagedOwner: VarlinkFailure {
        package var account: String, reason: String, words: [String]?, next: String?
        package init(account: String, reason: String, words: [String]? = nil, next: String? = nil) {
            (self.account, self.reason, self.words, self.next) = (account, reason, words, next)
        }
        package static let codec = Codec(["account", "reason", "words", "next"], Self.init) {
            [$0.account.json, $0.reason.json, $0.words.json, $0.next.json]
        }
    }

    package struct NotFound: VarlinkFailure {
        package var reason: String, words: [String]?, next: String?
        package init(reason: String, words: [String]? = nil, next: String? = nil) {
            (self.reason, self.words, self.next) = (reason, words, next)
        }
        package static let codec = Codec(["reason", "words", "next"], Self.init) {
            [$0.reason.json, $0.words.json, $0.next.json]
        }
    }

    package struct Damaged: VarlinkFailure {
        package var reason: String, words: [String]?, next: String?
        package init(reason: String, words: [String]? = nil, next: String? = nil) {
            (self.reason, self.words, self.next) = (reason, words, next)
        }
        package static let codec = Codec(["reason", "words", "next"], Self.init) {
            [$0.reason.json, $0.words.json, $0.next.json]
        }
    }

    package struct Refused: VarlinkFailure {
        package var reason: String, words: [String]?, next: String?, by: String?
        package init(reason: String, words: [String]? = nil, next: String? = nil,
            by: String? = nil) {
            (self.reason, self.words, self.next, self.by) = (reason, words, next, by)
        }
        package static let codec = Codec(["reason", "words", "next", "by"], Self.init) {
            [$0.reason.json, $0.words.json, $0.next.json, $0.by.json]
        }
    }

    package struct InvalidInput: VarlinkFailure {
        package var reason: String, words: [String]?, next: String?
        package init(reason: String, words: [String]? = nil, next: String? = nil) {
            (self.reason, self.words, self.next) = (reason, words, next)
        }
        package static let codec = Codec(["reason", "words", "next"], Self.init) {
            [$0.reason.json, $0.words.json, $0.next.json]
        }
    }

    package struct SystemError: VarlinkFailure {
        package var errno: Int, reason: String, words: [String]?, next: String?
        package init(errno: Int, reason: String, words: [String]? = nil, next: String? = nil) {
            (self.errno, self.reason, self.words, self.next) = (errno, reason, words, next)
        }
        package static let codec = Codec(["errno", "reason", "words", "next"], Self.init) {
            [$0.errno.json, $0.reason.json, $0.words.json, $0.next.json]
        }
    }
}
