import Glibc
import MAMEnrollment
import MAMKeyring
import MAMModel
import MAMPolicy
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import TestSupport
import Testing
import WorkspaceSupport

/// What the vault makes of enrolment, without a mount.
@Suite(.serialized) struct EnrollmentTests {
    private func enrolling() throws -> TestVault {
        let test = try TestVault()
        CheckIn(test.tree).readPolicies { _ in .unchanged }
        test.serve()
        return test
    }

    @Test func `an order to wipe is obeyed once for each id`() throws {
        let test = try enrolling()
        test.tree.setServed(false)
        Orders(test.tree).obeyWipe(WipeRequest(id: "0", account: "nobody@else"))
        #expect(Accounts(test.vault).all.count == 1)
        // Before there is a mount it is obeyed at once.
        Orders(test.tree).obeyWipe(WipeRequest(id: "1", account: "ANN@contoso.com"))
        #expect(Accounts(test.vault).all.isEmpty)
        Wipe(test.tree).resumeWipes()
        _ = try Registration(test.tree).register(
            TestVault.annIdentity(), user: 1000, passphrase: secret("x"))
        Orders(test.tree).obeyWipe(WipeRequest(id: "1", account: "ann@contoso.com"))
        #expect(Accounts(test.vault).all.count == 1)
        Orders(test.tree).obeyWipe(WipeRequest(id: "2", account: "ann@contoso.com"))
        #expect(Accounts(test.vault).all.isEmpty)
    }

    @Test func `who registers a name that was to be wiped before he came is not meant`() throws {
        let test = try enrolling()
        test.tree.setServed(false)
        Orders(test.tree).obeyWipe(WipeRequest(id: "1", account: "bob@contoso.com"))
        let bob = try Identity(name: "bob@contoso.com")
        _ = try Registration(test.tree).register(bob, user: 1001, passphrase: secret("x"))
        Orders(test.tree).obeyWipe(WipeRequest(id: "1", account: "bob@contoso.com"))
        #expect(Accounts(test.vault).all.count == 2)
    }

    @Test(arguments: [1, 3] as [Int64])
    func `an order that stays to be read is not obeyed again, however long it stays`(
        _ daysPerLook: Int64
    ) throws {
        let test = try enrolling()
        test.tree.setServed(false)
        let orders = ["2", "1"].map { WipeRequest(id: $0, account: "ann@contoso.com") }
        for _ in 0..<10 {
            for order in orders { Orders(test.tree).obeyWipe(order) }
            Wipe(test.tree).resumeWipes()
            test.vault.clock.advance(bySeconds: daysPerLook * 86_400)
        }
        #expect(Accounts(test.vault).all.isEmpty)
        _ = try Registration(test.tree).register(
            TestVault.annIdentity(), user: 1000, passphrase: secret("x"))
        test.vault.clock.advance(bySeconds: 30 * 86_400)
        for order in orders { Orders(test.tree).obeyWipe(order) }
        #expect(Accounts(test.vault).all.count == 1)
    }

    @Test func `where nothing can be removed no start wipes`() throws {
        let test = try TestVault()
        let wanting =
            #"""
            {"maximumAllowedDeviceThreatLevel": "low",
            "mobileThreatDefenseRemediationAction": "wipe"}
            """#
        LaunchChecks(test.tree).setThreatLevel(.high)
        PolicyChange(test.tree).replacePolicies(
            PolicyBook(documents: try PolicyDocument.decode(Array(wanting.utf8))))
        CheckIn(test.tree).readPolicies { _ in .unchanged }
        Timers(try test.makeReadOnlyTree()).startEnrollment()
        #expect(Accounts(test.vault).all.count == 1)
        #expect(test.vault.block(of: test.ann) != nil)
        Timers(test.tree).startEnrollment()
        #expect(Accounts(test.vault).all.isEmpty)
    }

    @Test(arguments: [
        #""minimumWipeOsVersion": "9999""#, #""minimumWipeAppVersion": "9999""#,
        #""minimumWipeSdkVersion": "9999""#,
        #""allowedIosDeviceModels": "iPhone", "appActionIfIosDeviceModelNotAllowed": "wipe""#,
    ])
    func `a policy for phones wipes nothing where no probe says what this is`(_ rule: String)
        throws
    {
        let test = try TestVault()
        PolicyChange(test.tree).replacePolicies(
            PolicyBook(documents: try PolicyDocument.decode(Array("{\(rule)}".utf8))))
        CheckIn(test.tree).readPolicies { _ in .unchanged }
        Timers(test.tree).startEnrollment()
        #expect(Accounts(test.vault).all.count == 1)
        #expect(test.vault.block(of: test.ann)?.kind == .launch)
    }

    @Test func `a check whose probe is slow does not bring back what a former policy said`() throws
    {
        let place = try TemporaryDirectory()
        let answer = place.path("answer")
        #expect(mkfifo(answer, 0o600) == 0)
        let test = try TestVault(threatProbe: ["/bin/cat", answer])
        CheckIn(test.tree).readPolicies { _ in .unchanged }
        func replacePolicy(_ text: String) throws {
            PolicyChange(test.tree).replacePolicies(
                PolicyBook(documents: try PolicyDocument.decode(Array(text.utf8))))
        }
        try replacePolicy(#"{"maximumAllowedDeviceThreatLevel": "low"}"#)
        let checks = LaunchChecks(test.tree)
        let (ann, ended) = (test.ann, Semaphore())
        try startThread(named: "slow check") {
            checks.checkLaunch(ann)
            ended.signal()
        }
        do {
            // Returns once the probe reads.
            let told = try openFile(answer, O_WRONLY)
            try replacePolicy(#"{"appDataEncryptionType": "whenDeviceLocked"}"#)
            checks.checkLaunch(ann)
            try writeAll(Array("high\n".utf8), to: told.raw)
        }
        ended.wait()
        #expect(test.vault.block(of: test.ann) == nil)
    }

    @Test func `who does not read the policies does not check in`() throws {
        let test = try TestVault()
        #expect(!CheckIn(test.tree).checkIn().isSuccess)
    }

    @Test func `deregistering and registering again is a check-in, and does not go round one`()
        throws
    {
        let test = try enrolling()
        _ = Registration(test.tree).signOut(test.ann)
        CheckIn(test.tree).readPolicies { _ in .failure("the network is down") }
        let ann = try TestVault.annIdentity()
        #expect {
            try Registration(test.tree).register(ann, user: 1000, passphrase: secret("secret"))
        } throws: {
            "\($0)" == "the check-in failed: the network is down"
        }
        #expect(!test.vault.isRegistered(test.ann))
        CheckIn(test.tree).readPolicies { _ in .unchanged }
        #expect(
            try Registration(test.tree).register(ann, user: 1000, passphrase: secret("secret"))
                == test.ann)
        #expect(test.vault.isRegistered(test.ann))
    }

    @Test func `with a mount it is obeyed on a thread of its own`() throws {
        let test = try enrolling()
        Orders(test.tree).obeyWipe(WipeRequest(id: "1", account: "ann@contoso.com"))
        _ = eventually { Accounts(test.vault).all.isEmpty }
        #expect(Accounts(test.vault).all.isEmpty)
    }

    @Test func `deregistered with its keys it can be registered again by the same user alone`()
        throws
    {
        let test = try enrolling()
        let ann = try TestVault.annIdentity()
        let file = try test.makeFile("file", owner: ann, "content")
        #expect(Registration(test.tree).signOut(test.ann).code == .unenrolled)
        #expect(throws: VaultError.self) { try Files(test.vault).admit(file) }
        #expect(throws: KeyringError.self) {
            try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        }
        #expect(
            Registration(test.tree).refusal(of: ann, user: 1001) { true }?.code == .sameUserOnly)
        #expect(Registration(test.tree).refusal(of: ann, user: 1000) { true } == nil)
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try Registration(test.tree).register(ann, user: 1000, passphrase: secret("another"))
        }
        #expect(!test.vault.isRegistered(test.ann))
    }

    @Test func `a check-in tells what the source says, to every account`() throws {
        let test = try TestVault()
        CheckIn(test.tree).readPolicies { _ in .unreadable("gone") }
        #expect(CheckIn(test.tree).checkIn() == .unreadable("gone"))
        #expect(Accounts(test.vault).enrollment(of: test.ann)?.status.code == .policyUnreachable)
        CheckIn(test.tree).readPolicies { _ in .ok }
        #expect(CheckIn(test.tree).checkIn() == .ok)
        #expect(Accounts(test.vault).enrollment(of: test.ann)?.stage == .enrolled)
    }

    @Test func `where accounts are only looked at nothing is wiped`() throws {
        let test = try TestVault()
        LaunchChecks(test.tree).checkLaunch(test.ann)
        Orders(test.tree).obeyWipe(WipeRequest(id: "1", account: "x"))
        #expect(Accounts(test.vault).all.count == 1)
    }
}
