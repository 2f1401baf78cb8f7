import Glibc
import MAMEnrollment
import MAMKeyring
import MAMModel
import MAMPolicy
import MAMSystem
import MAMVault
import Testing

/// What the vault makes of enrolment, without a mount.
@Suite(.serialized) struct EnrollmentTests {
    private func enrolling() throws -> TestVault {
        let test = try TestVault()
        test.vault.readPolicies { .unchanged }
        test.vault.setMount(ActionMount {})
        return test
    }

    @Test func `an order to wipe is obeyed once for each id`() throws {
        let test = try enrolling()
        test.vault.setMount(nil)
        test.vault.obeyWipe(WipeRequest(id: "0", account: "nobody@else"))
        #expect(test.vault.accounts.count == 1)
        // Before there is a mount it is obeyed at once.
        test.vault.obeyWipe(WipeRequest(id: "1", account: "ANN@contoso.com"))
        #expect(test.vault.accounts.isEmpty)
        test.vault.resumeWipes(in: ActionMount {})
        _ = try test.vault.register(TestVault.annIdentity(), user: 1000, passphrase: secret("x"))
        test.vault.obeyWipe(WipeRequest(id: "1", account: "ann@contoso.com"))
        #expect(test.vault.accounts.count == 1)
        test.vault.obeyWipe(WipeRequest(id: "2", account: "ann@contoso.com"))
        #expect(test.vault.accounts.isEmpty)
    }

    @Test func `who registers a name that was to be wiped before he came is not meant`() throws {
        let test = try enrolling()
        test.vault.setMount(nil)
        test.vault.obeyWipe(WipeRequest(id: "1", account: "bob@contoso.com"))
        let bob = try Identity(name: "bob@contoso.com")
        _ = try test.vault.register(bob, user: 1001, passphrase: secret("x"))
        test.vault.obeyWipe(WipeRequest(id: "1", account: "bob@contoso.com"))
        #expect(test.vault.accounts.count == 2)
    }

    @Test(arguments: [1, 3] as [Int64])
    func `an order that stays to be read is not obeyed again, however long it stays`(
        _ daysPerLook: Int64
    ) throws {
        let test = try enrolling()
        test.vault.setMount(nil)
        let orders = ["2", "1"].map { WipeRequest(id: $0, account: "ann@contoso.com") }
        for _ in 0..<10 {
            for order in orders { test.vault.obeyWipe(order) }
            test.vault.resumeWipes(in: ActionMount {})
            test.vault.clock.advance(bySeconds: daysPerLook * 86_400)
        }
        #expect(test.vault.accounts.isEmpty)
        _ = try test.vault.register(TestVault.annIdentity(), user: 1000, passphrase: secret("x"))
        test.vault.clock.advance(bySeconds: 30 * 86_400)
        for order in orders { test.vault.obeyWipe(order) }
        #expect(test.vault.accounts.count == 1)
    }

    @Test func `where nothing can be removed no start wipes`() throws {
        let test = try TestVault()
        let wanting =
            #"{"maximumAllowedDeviceThreatLevel": "low", "mobileThreatDefenseRemediationAction": "wipe"}"#
        test.vault.setThreatLevel(.high)
        test.vault.replacePolicies(
            PolicyBook(documents: try PolicyDocument.decode(Array(wanting.utf8))))
        test.vault.readPolicies { .unchanged }
        test.vault.startEnrollment(isReadOnly: true)
        #expect(test.vault.accounts.count == 1)
        #expect(test.vault.block(of: test.ann) != nil)
        test.vault.startEnrollment()
        #expect(test.vault.accounts.isEmpty)
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
        test.vault.replacePolicies(
            PolicyBook(documents: try PolicyDocument.decode(Array("{\(rule)}".utf8))))
        test.vault.readPolicies { .unchanged }
        test.vault.startEnrollment()
        #expect(test.vault.accounts.count == 1)
        #expect(test.vault.block(of: test.ann)?.kind == .launch)
    }

    @Test func `who does not read the policies does not check in`() throws {
        let test = try TestVault()
        #expect(!test.vault.checkIn().isSuccess)
    }

    @Test func `deregistering and registering again is a check-in, and does not go round one`()
        throws
    {
        let test = try enrolling()
        _ = test.vault.signOut(test.ann)
        test.vault.readPolicies { .failure("the network is down") }
        let ann = try TestVault.annIdentity()
        #expect(throws: KeyringError.refused("the check-in failed: the network is down")) {
            try test.vault.register(ann, user: 1000, passphrase: secret("secret"))
        }
        #expect(!test.vault.isRegistered(test.ann))
        test.vault.readPolicies { .unchanged }
        #expect(try test.vault.register(ann, user: 1000, passphrase: secret("secret")) == test.ann)
        #expect(test.vault.isRegistered(test.ann))
    }

    @Test func `with a mount it is obeyed on a thread of its own`() throws {
        let test = try enrolling()
        test.vault.obeyWipe(WipeRequest(id: "1", account: "ann@contoso.com"))
        let deadline = Deadline(seconds: 10)
        while !test.vault.accounts.isEmpty, !deadline.hasPassed { usleep(1000) }
        #expect(test.vault.accounts.isEmpty)
    }

    @Test func `deregistered with its keys it can be registered again by the same user alone`()
        throws
    {
        let test = try enrolling()
        let ann = try TestVault.annIdentity()
        let file = try test.makeFile("file", owner: ann, "content")
        #expect(test.vault.signOut(test.ann).code == .unenrolled)
        #expect(throws: VaultError.self) { try test.vault.admit(file) }
        #expect(throws: KeyringError.self) {
            try test.vault.unlock(test.ann, passphrase: secret("secret"))
        }
        #expect(test.vault.refusal(of: ann, user: 1001) { true }?.code == .sameUserOnly)
        #expect(test.vault.refusal(of: ann, user: 1000) { true } == nil)
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try test.vault.register(ann, user: 1000, passphrase: secret("another"))
        }
        #expect(!test.vault.isRegistered(test.ann))
    }

    @Test func `a check-in tells what the source says, to every account`() throws {
        let test = try TestVault()
        test.vault.readPolicies { .unreadable("gone") }
        #expect(test.vault.checkIn() == .unreadable("gone"))
        #expect(test.vault.enrollment(of: test.ann)?.status.code == .policyUnreachable)
        test.vault.readPolicies { .ok }
        #expect(test.vault.checkIn() == .ok)
        #expect(test.vault.enrollment(of: test.ann)?.stage == .enrolled)
    }

    @Test func `where accounts are only looked at nothing is wiped`() throws {
        let test = try TestVault()
        test.vault.checkLaunch(test.ann)
        test.vault.obeyWipe(WipeRequest(id: "1", account: "x"))
        #expect(test.vault.accounts.count == 1)
    }
}
