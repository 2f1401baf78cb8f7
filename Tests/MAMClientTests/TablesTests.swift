// The library's names and numbers are the daemon's.

internal import CInterfaces
import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire
internal import Testing

@testable internal import MAMClient

@Suite struct Tables {
    @Test func `properties are the policy's questions`() {
        #expect(
            PolicyProperty.allCases.map(\.rawValue)
                == MAMPolicy.PolicyQuestion.allCases.map(\.rawValue))
    }

    @Test func `an account tells what one more wrong passphrase leads to`() {
        var report = AccountReport(
            id: "", name: "", objectID: "", uid: 0, state: .locked, hasPassphrase: true,
            isDefault: true, retryAfterSeconds: 0, statusCode: 0, blockReason: "",
            isRecoverable: false)
        #expect(Account(report).lastTry == nil)
        report.lastTry = .wiped
        #expect(Account(report).lastTry == "wiped")
    }

    @Test func `locations have the SDK's numbers and names`() {
        #expect(
            MAMClient.SaveLocation.allCases.map { "\($0.rawValue) \($0.name)" }
                == MAMPolicy.SaveLocation.allCases.map { "\($0.rawValue) \($0.name)" })
        #expect(
            MAMClient.OpenLocation.allCases.map { "\($0.rawValue) \($0.name)" }
                == MAMPolicy.OpenLocation.allCases.map { "\($0.rawValue) \($0.name)" })
    }

    @Test func `modes and notifications have the SDK's numbers`() {
        #expect(
            MAMClient.DocumentPickerMode.allCases.map { "\($0.rawValue) \($0)" }
                == MAMPolicy.DocumentPickerMode.allCases.map { "\($0.rawValue) \($0)" })
        #expect(MAMClient.NotificationPolicy.allCases.map(\.rawValue) == [0, 1, 2])
    }
}

@Suite struct Errors {
    @Test func `each error of the workspace has a code`() {
        for name in Varlink.Workspace.ErrorName.allCases {
            let error = MAMError(VarlinkError("\(Varlink.Workspace.name).\(name.rawValue)"))
            #expect(error.code != .unknownAnswer, "\(name)")
        }
        #expect(MAMError(VarlinkError("io.mamd.Later.Error")).code == .unknownAnswer)
    }

    @Test func `a protection error has the SDK's status and its cause's code`() {
        let error = MAMError(
            VarlinkError(
                "\(Varlink.Protection.name).FileFailed",
                [
                    "status": 106, "name": "identityNotManaged", "cause": "NotManaged",
                    "account": "ann@contoso.com", "reason": "why", "next": "mamctl unlock",
                ]))
        #expect(error.code == .notManaged)
        #expect(error.statusCode == 106)
        #expect(error.account == "ann@contoso.com")
        #expect(error.reason == "why")
        #expect(error.next == "mamctl unlock")
    }

    @Test func `a wrong passphrase tells when the next is tried`() {
        let error = MAMError(.wrongPassphrase("ann@contoso.com", retryAfterSeconds: 60))
        #expect(error.code == .wrongPassphrase)
        #expect(error.retryAfterSeconds == 60)
    }

    @Test func `paths with a zero byte are refused`() {
        for file in [FileReference.path("/tmp\u{0}/x"), .bytes([]), .bytes([47, 0])] {
            #expect(throws: MAMError.self) { _ = try file.open(0) }
        }
    }
}

@Suite struct Reading {
    @Test func `events of a later daemon are passed over`() {
        let event = Event(.init(event: "something-new", code: 7))
        #expect(event.kind == nil)
        #expect(event.word == "something-new")
        #expect(event.code == 7)
        #expect(throws: VarlinkError.self) { _ = try Varlink.Workspace.Event(Parameters([:])) }
    }

    @Test func `the events of the interface are these`() throws {
        // In the comment before the type: words with commas between them, and remarks in
        // parentheses or after a colon.
        let text = String(cString: try #require(interface_text(Varlink.Workspace.name)))
        let lines = text.split(separator: "\n")
            .prefix { !$0.hasPrefix("type Event") }.filter { $0.hasPrefix("#   ") }
        let words = lines.flatMap { line in
            line.replacing(/\([^)]*\)/, with: "").replacing(/:.*/, with: "").dropFirst(4)
                .split(separator: ", ")
                .map { String($0.replacing(" ", with: "")) }
        }
        let ofWorkspace: Set = [
            "policy-refused", "account-to-add", "allowed-accounts-changed", "backing-gone",
        ]
        #expect(Set(words).union(ofWorkspace) == Set(Event.Kind.allCases.map(\.rawValue)))
        #expect(ofWorkspace.allSatisfy(text.contains))
    }

    @Test func `a summary keeps what failed`() {
        var summary = ProtectionSummary()
        summary.take(
            .init(
                failure: .init(
                    path: "Notes/a", status: 102, name: "encryptionFailed",
                    cause: "WindowClosed", reason: "locked")))
        summary.take(.init(summary: .init(files: 2, changed: 1, failed: 1)))
        #expect(summary.files == 2)
        #expect(summary.changed == 1)
        #expect(summary.failures.map(\.path) == ["Notes/a"])
        #expect(summary.failures.first?.error.code == .windowClosed)
    }
}
