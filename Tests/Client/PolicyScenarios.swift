// What policy says, accounts that come and go, and what the daemon tells by itself.

internal import Glibc
internal import MAMClient
internal import Synchronization

extension Scenarios {
    /// The policy sends to and receives from managed programs alone, and saves at OneDrive alone.
    func policy() throws {
        let (anns, personals) = (
            policies.policy(forAccountId: ann), policies.policy(forAccountId: personal)
        )
        let note = "\(directory)/note"
        try policies.setCurrentThreadAccountId(ann) { try create(note, "x") }
        try expect(anns.isSaveToAllowed(for: .oneDriveForBusiness, accountId: ann))
        try expect(!anns.isSaveToAllowed(for: .oneDriveForBusiness, accountId: nil))
        try expect(!anns.isSaveToAllowed(for: .other, accountId: ann))
        try expect(personals.isSaveToAllowed(for: .other, accountId: nil))
        let save = try anns.decision(.saveFile(.path(note), to: .other, of: nil))
        try expect(!save.isAllowed && save.rule != nil && !save.reason.isEmpty)
        try expect(anns.isOpenFromAllowed(for: .localStorage, accountId: ann))
        try expect(anns.canReceiveSharedFile(.path(note)))
        let foreign = "\(outside)/foreign"
        try create(foreign, "x")
        try expect(!anns.canReceiveSharedFile(.path(foreign)))
        try expect(personals.canReceiveSharedFile(.path(foreign)))
        try expect(!anns.decision(.receiveItem(ofOwner: bob)).isAllowed)
        try expect(anns.isURLAllowed("https://contoso.com"))
        try expect(
            anns.decision(.url("https://contoso.com", isKnownManagedAppScheme: false)).opens != nil)
        _ = try anns.isUniversalLinkAllowed("https://contoso.com")
        try expect(anns.decision(.copy(count: 10, to: ann)).isAllowed)
        try expect(anns.decision(.paste(count: 10, from: ann)).isAllowed)
        try expect(anns.isDocumentPickerAllowed(.import))
        try expect(anns.notificationPolicy(), is: .blockOrganizationalData)
        try expect(anns.is(.shouldFileProviderEncryptFiles))
        try expect(!personals.is(.shouldFileProviderEncryptFiles))
        let answers = try anns.answers()
        try expect(answers.count, is: PolicyProperty.allCases.count)
        for property in PolicyProperty.allCases {
            try expect(answers[property]?.isAllowed, is: try anns.is(property))
        }
        _ = try policies.policy().answers()
    }

    func configuration() throws {
        let config = workspace.appConfig.appConfig(forAccountId: ann)
        try expect(config.fullData().count, is: 2)
        try expect(config.hasConflict("limit"))
        try expect(!config.hasConflict("signature"))
        try expect(config.stringValue(forKey: "signature"), is: "Contoso")
        try expect(config.numberValue(forKey: "limit", .min), is: 5)
        try expect(config.numberValue(forKey: "limit", .max), is: 7.5)
        try expect(config.allNumbers(forKey: "limit").sorted(), is: [5, 7.5])
        try expect(config.boolValue(forKey: "sync", .or), is: true)
        try expect(config.boolValue(forKey: "sync", .and), is: false)
        try expect(config.allBools(forKey: "sync").count, is: 2)
        try expect(config.allStrings(forKey: "nothing"), is: [])
        try expect(config.stringValue(forKey: "nothing") == nil)
    }

    func enrollment() throws {
        let carl = "carl@contoso.com"
        let enrollment = workspace.enrollment
        try expect(enrollment.allowedAccounts() == nil)
        let status = try withPassphrase(passfile) {
            try enrollment.registerAndEnrollAccount(
                carl, objectId: "5a3c1f0e-7d2b-4a6e-9c11-0b8d5e2f7a90", passphrase: $0)
        }
        try expect(status.didSucceed && status.identity == carl, "\(status)")
        try expect(enrollment.registeredAccounts().contains { $0.identity == carl })
        try expect(enrollment.enrolledAccounts().contains { $0.identity == carl })
        let path = "\(directory)/carls"
        try policies.setCurrentThreadAccountId(carl) { try create(path, "x") }
        try workspace.lock(carl, now: true)
        try expect(files.protectionInfo(.path(path))?.state, is: .closed)
        let error = try refused(.wrongPassphrase) {
            try create("\(outside)/wrong", "not it")
            try withPassphrase("\(outside)/wrong") { try workspace.unlock(carl, passphrase: $0) }
        }
        try expect(error.account, is: carl)
        sleep(UInt32(error.retryAfterSeconds))
        try withPassphrase(passfile) { passphrase in
            try expect(enrollment.loginAndEnrollAccount(carl, passphrase: passphrase).didSucceed)
        }
        try expect(files.protectionInfo(.path(path))?.state, is: .available)
        try expect(enrollment.remediateCompliance(forAccountId: carl).status, is: .compliant)
        let gone = try enrollment.deRegisterAndUnenrollAccount(carl, withWipe: true)
        try expect(gone.statusCode, is: 104)
        try expect(files.protectionInfo(.path(path)) == nil)
        try refused(.unknownAccount) { try workspace.lock(carl) }
        let dora = try enrollment.registerAndEnrollAccount("dora@contoso.com", passphrase: .none)
        try expect(dora.didSucceed, "\(dora)")
        try expect(workspace.wipe("dora@contoso.com"))
    }

    /// Sealed files carry Ann's name, and their keys are elsewhere.
    func newKeys() throws {
        let enrollment = workspace.enrollment
        try refused(.refused) {
            _ = try enrollment.registerAndEnrollAccount(ann, passphrase: .none)
        }
        let status = try enrollment.registerAndEnrollAccount(
            ann, passphrase: .none, newKeys: true)
        try expect(status.didSucceed, "\(status)")
    }

    /// One thread listens while this one locks, unlocks, and stops it.
    func watching() throws {
        let watch = try workspace.watch()
        let seen = Seen()
        try inThreads(2) { number in
            if number == 0 {
                try watch.forEach { event in
                    seen.add("\(event.account?.name ?? "-") \(event.word)")
                    return true
                }
                return seen.add("over")
            }
            try seen.wait(for: "\(bob) available")
            try workspace.lock(bob, now: true)
            try seen.wait(for: "\(bob) unavailable")
            try withPassphrase(passfile) { try workspace.unlock(bob, passphrase: $0) }
            try seen.wait(for: "\(bob) available", count: 2)
            watch.stop()
        }
        try seen.wait(for: "over")
        var count = 0
        try workspace.watch().forEach { _ in
            count += 1
            return false
        }
        try expect(count, is: 1)
    }
}

private final class Seen: Sendable {
    private let words = Mutex<[String]>([])

    func add(_ word: String) { words.withLock { $0.append(word) } }

    func wait(for word: String, count: Int = 1) throws {
        for _ in 0..<1000 {
            if words.withLock({ $0.filter { $0 == word }.count }) >= count { return }
            usleep(10_000)
        }
        throw Failed(description: "waited in vain for '\(word)': \(words.withLock { $0 })")
    }
}
