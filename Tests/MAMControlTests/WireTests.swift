// The workspace interface's text, types, errors and statuses.

import CInterfaces
import Glibc
import MAMModel
import MAMPolicy
import MAMSystem
import MAMVault
import MAMWire
import MAMWorkspace
import Testing

@testable import MAMControl

@Suite struct WireTests {
    static let account = AccountReport(
        id: "00ff", name: "ann@contoso.com", objectID: "o", uid: 4_294_967_294,
        state: .grace, hasPassphrase: true, isDefault: false, retryAfterSeconds: 30,
        statusCode: 200, blockReason: "", isRecoverable: false)

    static let blocked = AccountReport(
        id: "00ee", name: "", objectID: "p", uid: 1, state: .beforeFirstUnlock,
        hasPassphrase: true, isDefault: true, retryAfterSeconds: 0, stage: .signedOut,
        statusCode: 213, block: .offlineWipe, blockReason: "r", isRecoverable: true,
        openClasses: [.completeUnlessOpen, .none])

    static let names = [
        Varlink.Audit.name, Varlink.Enrollment.name, Varlink.Fleet.name, Varlink.Identity.name,
        Varlink.Policy.name, Varlink.Protection.name, Varlink.Recovery.name, Varlink.Report.name,
        Varlink.SignIn.name, Varlink.Workspace.name,
    ]

    @Test(arguments: names)
    func `the server describes each interface in the words of its file in docs`(
        name: String
    ) throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let bytes = try readSmallFile("/\(root)/docs/\(name).varlink", maximumByteCount: 1 << 20)
        let text = try #require(interface_text(name))
        #expect(String(cString: text) == String(decoding: bytes, as: UTF8.self))
    }

    @Test func `no other interface has a text`() { #expect(interface_text("io.mamd.Later") == nil) }

    @Test func `a method has the name of its type`() {
        #expect(Varlink.Fleet.Join.fullName == "io.mamd.Fleet.Join")
        #expect(Varlink.Workspace.NotFound.fullName == "io.mamd.Workspace.NotFound")
    }

    /// An enumeration's name, and the words of the daemon's own.
    static let words: [(String, [String])] = [
        ("WindowState", WindowState.allCases.map(\.rawValue)),
        ("BlockKind", AccountBlock.Kind.allCases.map(\.rawValue)),
        ("ProtectionClass", ProtectionClass.allCases.map(\.letter)),
        ("ProtectionState", ProtectionState.allCases.map(\.rawValue)),
        ("FileAct", FileAct.allCases.map(\.rawValue)),
        ("GuessConsequence", GuessConsequence.allCases.map(\.rawValue)),
        ("Problem", Finding.Problem.allCases.map(\.rawValue)),
        ("Place", Finding.Root.allCases.map(\.rawValue)),
        ("Action", LaunchAction.allCases.map(\.rawValue)),
        ("Severity", LintFinding.Severity.allCases.map(\.rawValue)),
    ]

    @Test(arguments: words)
    func `the interface has the daemon's own words`(name: String, words: [String]) throws {
        var declared: [[String]] = []
        for interface in Self.names {
            let text = String(cString: try #require(interface_text(interface)))
            guard let start = text.firstRange(of: "type \(name) (") else { continue }
            let words = text[start.upperBound...].prefix { $0 != ")" }
            declared.append(words.split { !$0.isLetter }.map { String($0) })
        }
        #expect(!declared.isEmpty && declared.allSatisfy { $0 == words })
    }

    static let status = StatusReport(
        name: "w", id: "00", version: "1", backingDirectory: "/b", mountPoint: "/m",
        readOnly: false, pid: 7, uid: 8, multiIdentity: true, maximumClass: .completeUnlessOpen,
        openFiles: 9, accounts: [account, blocked], needsImport: false)

    @Test func `an earlier daemon's status is read`() throws {
        var members = Self.status.members
        members["refused"] = nil
        #expect(try StatusReport(Parameters(members)).members == Self.status.members)
    }

    @Test func `accounts and status survive the wire`() throws {
        var status = Self.status
        status.refused = [
            .init(
                file: "f", reason: "r", since: 1, lastGoodInForce: true, inForce: "d",
                inForceSince: 2),
            .init(file: "g", reason: "s", since: 3, lastGoodInForce: false),
        ]
        #expect(try StatusReport(Parameters(status.members)).members == status.members)
    }

    @Test(arguments: [ProtectionClass.complete, nil])
    func `a protection survives the wire`(fileClass: ProtectionClass?) throws {
        let info = FileProtection(
            owner: try Identity(name: "ann", objectID: "x"), isManaged: fileClass != nil,
            fileClass: fileClass, effectiveClass: fileClass, state: .keyMissing, reason: "why")
        let members = try #require(info.json.object)
        let read = try FileProtection(.init(Parameters(members)))
        #expect(read.json == info.json)
        #expect(members["state"] == "keyMissing")
        #expect(members["class"] == JSONValue(fileClass?.letter))
    }

    @Test(arguments: Array(account.withoutNulls.keys))
    func `a reply that lacks a member or has another type is refused`(member: String) throws {
        var members = Self.account.members
        members[member] = [1]
        #expect(throws: VarlinkError.invalidParameter(member)) {
            try AccountReport(Parameters(members))
        }
        members[member] = nil
        #expect(throws: VarlinkError.invalidParameter(member)) {
            try AccountReport(Parameters(members))
        }
    }

    @Test(arguments: ["state", "stage", "block"])
    func `a word that its enumeration does not have is refused`(member: String) throws {
        var members = Self.blocked.members
        #expect(try AccountReport(Parameters(members)) == Self.blocked)
        members[member] = "signed-out"
        #expect(throws: VarlinkError.invalidParameter(member)) {
            try AccountReport(Parameters(members))
        }
    }

    static let errors: [(VarlinkError, MAMWire.ExitStatus)] = [
        (.unknownAccount("a"), .notFound), (.accountExists("a"), .failure),
        (.blocked("a", AccountBlock(.offline, "b")), .windowClosed),
        (.wrongPassphrase("a", retryAfterSeconds: 1), .wrongPassphrase),
        (.notTried("a", retryAfterSeconds: 1, because: "r"), .wrongPassphrase),
        (.windowClosed("a"), .windowClosed), (.notManaged("r"), .notManaged),
        (.unmanagedOwner("a", ""), .notManaged),
        (.notFound("r"), .notFound), (.damaged("r"), .damaged), (.refused("r"), .refused),
        (.sealedFiles("a", files: 2, example: "e", hasHidden: true), .refused),
        (.invalidInput("r"), .usage), (.systemError(.noSpace, "r"), .failure),
        (.systemError(.noEntry, "r"), .notFound), (.systemError(.noKey, "r"), .windowClosed),
        (.systemError(.badMessage, "r"), .damaged), (.invalidParameter("p"), .usage),
        (.methodNotFound("M"), .failure), (VarlinkError("com.example.NotFound"), .failure),
    ]

    @Test(arguments: errors)
    func `each error has its exit status and a sentence`(
        error: VarlinkError, status: MAMWire.ExitStatus
    ) {
        #expect(MAMWire.ExitStatus(error) == status)
        #expect(!error.description.isEmpty)
    }

    @Test func `what helps is told beside the sentence, and not in it`() throws {
        let owner = try Identity(name: "bob")
        for error: VaultError in [
            .keyMissing(owner), .notManaged(owner), .refused("why", next: "a"),
            .invalid("why", next: "a"),
        ] {
            let wire = VarlinkError(error)
            #expect(wire.next == error.next && wire.next != nil)
            #expect(wire.description == error.reason.english)
            #expect(wire.message == error.reason)
            #expect(error.description == "\(wire); run: \(error.next ?? "")")
        }
    }

    @Test func `of other users' sealed files no name and no number is told`() {
        let error = VarlinkError.sealedFiles("bob", files: 0, example: nil, hasHidden: true)
        #expect(error.parameters["example"] == .null)
        #expect(error.description.hasPrefix("files of other users are sealed for 'bob'"))
    }

    @Test
    func `each error of the interface has a constructor, with the parameters that it declares`()
        throws
    {
        let made = Dictionary(
            Self.errors.map { ($0.0.name, Set($0.0.parameters.keys)) }, uniquingKeysWith: { $1 })
        let text = String(cString: try #require(interface_text(Varlink.Workspace.name)))
        for declaration in text.split(separator: "\nerror ").dropFirst() {
            let words = declaration.prefix(while: { $0 != ")" })
                .split(whereSeparator: { "(, :\n".contains($0) })
            let parameters = Set(stride(from: 1, to: words.count, by: 2).map { String(words[$0]) })
            #expect(made["io.mamd.Workspace.\(words[0])"] == parameters)
        }
    }

    @Test(arguments: ["", "a", "./a", "/a\u{0}b"])
    func `paths must be absolute and hold no zero byte`(path: String) {
        #expect(throws: VarlinkError.invalidParameter("path")) {
            try Parameters(["path": .string(path)]).optionalPath("path")
        }
    }
}
