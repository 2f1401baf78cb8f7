// Each uses a part of the library on a workspace that is mounted. test_client.py looks at what they
// leave behind.

internal import Glibc
internal import MAMClient

let ann = "ann@contoso.com"
let bob = "bob@contoso.com"
let personal = "ann.personal@example.org"

struct Scenarios: Sendable {
    let workspace: Workspace
    let directory: String
    let outside: String
    let passfile: String

    var files: FileProtectionManager { workspace.fileProtection }
    var policies: PolicyManager { workspace.policies }

    func finding() throws {
        try expect(Workspace(containing: .path(directory)).mountPoint(), is: workspace.mountPoint())
        try expect(Workspace(named: "work").mountPoint(), is: workspace.mountPoint())
        try expect(Workspace().mountPoint(), is: workspace.mountPoint())
        try refused(.noWorkspace) { _ = try Workspace(containing: "/") }
        try refused(.noWorkspace) { _ = try Workspace(named: "../x") }
        try refused(.unreachable) { _ = try Workspace(named: "nobody").accounts() }
        try expect(workspace.accounts().map(\.name).contains(ann))
    }

    /// Beside other workspaces.
    func only() throws {
        try expect(Workspace().mountPoint(), is: workspace.mountPoint())
    }

    func protecting() throws {
        let path = "\(directory)/file"
        try create(path, "text")
        try expect(
            refused(.unmanagedOwner) { try files.protect(.path(path), accountId: personal) }
                .statusCode,
            is: 106)
        try expect(
            files.protect(.path(path), accountId: personal, unmanaged: true).changed, is: 1)
        try expect(files.protectionInfo(.path(path))?.state, is: .unmanaged)
        try expect(files.isFileEncrypted(.path(path)), is: false)
        try expect(files.verifyAndProtect(.bytes(Array(path.utf8)), accountId: ann).changed, is: 1)
        try expect(files.verifyAndProtect(.path(path), accountId: ann).changed, is: 0)
        let info = try files.protectionInfo(.path(path))
        try expect(info?.accountId, is: ann)
        try expect(info?.isManaged, is: true)
        try expect(info?.state, is: .available)
        try expect(info?.fileClass, is: .complete)
        try expect(files.decryptFile(.path(path)).isManaged, is: false)
        try expect(files.encryptFile(.path(path), forAccountId: ann).isManaged, is: true)
        try expect(
            refused(.notManaged) {
                try files.encryptFile(.path(path), forAccountId: personal)
            }.statusCode, is: 106)
        try expect(
            refused(.invalidInput) {
                try files.encryptFile(.path(directory), forAccountId: ann)
            }.statusCode, is: 105)
        try expect(files.protectionInfo(.path("\(directory)/missing")) == nil)
        try refused(.notFound) { _ = try files.isFileEncrypted(.path("\(directory)/missing")) }
        let open = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        defer { close(open) }
        try expect(files.protectionInfo(.descriptor(open))?.accountId, is: ann)
        let all = try files.protect(.path(directory), accountId: ann)
        try expect(all.files, is: 1)
        try expect(all.failures, is: [])
    }

    func copies() throws {
        let (plain, sealed, back) = ("\(outside)/plain", "\(outside)/sealed", "\(outside)/back")
        try create(plain, "to be sealed")
        try files.encryptFile(.path(plain), forAccountId: ann, toCopy: .path(sealed))
        try expect(files.protectionInfo(.path(sealed))?.accountId, is: ann)
        try expect(files.isFileEncrypted(.path(sealed)))
        try expect(files.protectionInfo(.path(plain)) == nil)
        try files.decryptFile(.path(sealed), toCopy: .path(back))
        try expect(content(back), is: "to be sealed")
        // What is there already stays, and what fails leaves nothing.
        try refused(.systemError) { try files.decryptFile(.path(sealed), toCopy: .path(back)) }
        try expect(content(back), is: "to be sealed")
        try refused(.notManaged) {
            try files.encryptFile(
                .path(plain), forAccountId: personal, toCopy: .path("\(outside)/no"))
        }
        try expect(access("\(outside)/no", F_OK) != 0)
    }

    /// Under a policy that lets nothing leave in the clear.
    func kept() throws {
        let (path, sealed) = ("\(directory)/file", "\(outside)/sealed")
        let back = "\(outside)/back"
        try create(path, "text")
        try files.protect(.path(path), accountId: ann)
        let error = try refused(.refused) { _ = try files.decryptFile(.path(path)) }
        try expect(error.statusCode, is: 103)
        try expect(error.reason.contains("allowedDataStorageLocations"))
        try refused(.refused) {
            try files.protect(.path(path), accountId: personal, unmanaged: true)
        }
        try expect(files.protectionInfo(.path(path))?.accountId, is: ann)
        try create("\(outside)/plain", "to be sealed")
        try files.encryptFile(
            .path("\(outside)/plain"), forAccountId: ann, toCopy: .path(sealed))
        try refused(.refused) { try files.decryptFile(.path(sealed), toCopy: .path(back)) }
        try expect(access(back, F_OK) != 0)
    }

    func data() throws {
        let data = workspace.dataProtection
        let plain = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let sealed = try data.protect(plain, accountId: ann)
        try expect(sealed != plain && sealed.count > plain.count)
        try expect(data.unprotect(sealed), is: plain)
        try expect(data.protectionInfo(sealed)?.accountId, is: ann)
        try expect(data.unprotect([1, 2, 3]), is: [1, 2, 3])
        try expect(data.protectionInfo([1, 2, 3]) == nil)
        try expect(data.unprotect([]), is: [])
        try expect(
            refused(.invalidInput) {
                _ = try data.protect([], accountId: ann)
            }.statusCode, is: 105)
        var damaged = sealed
        damaged[150_000] ^= 1
        try expect(refused(.damaged) { _ = try data.unprotect(damaged) }.statusCode, is: 103)
        let text = try data.protectString("déjà vu", accountId: ann)
        try expect(data.unprotectString(text), is: "déjà vu")
        try expect(data.protectionInfoForString(text)?.isManaged, is: true)
        try expect(data.protectionInfoForString("text") == nil)
        let nobodys = try data.protect([7], accountId: nil)
        try expect(data.protectionInfo(nobodys)?.isManaged, is: false)
        try workspace.lock(ann, now: true)
        try expect(refused(.windowClosed) { _ = try data.unprotect(sealed) }.account, is: ann)
        try withPassphrase(passfile) { try workspace.unlock(ann, passphrase: $0) }
    }

    func identities() throws {
        try expect(policies.isAccountIdManaged(ann))
        try expect(!policies.isAccountIdManaged(personal))
        try expect(policies.isIdentity(ann, equalTo: "ANN@Contoso.com"))
        try expect(policies.managedAccountIds().sorted(), is: [ann, bob])
        try expect(policies.primaryAccountId() == nil)
        try expect(policies.isManagementEnabled())
        try expect(policies.blockedAccounts(), is: [])
        let before = try policies.currentIdentity().accountId
        try policies.setCurrentThreadAccountId(ann) {
            try create("\(directory)/anns", "x")
            try expect(policies.currentIdentity().source, is: .thread)
            try policies.setCurrentThreadAccountId(bob) { try create("\(directory)/bobs", "x") }
            try expect(policies.currentIdentity().accountId, is: ann)
            // Bob's is not for Ann: the policy sends to managed programs of the same account alone.
            try expect(open("\(directory)/bobs", O_RDONLY) < 0 && errno == EACCES)
            try create("\(directory)/anns2", "x")
        }
        try expect(policies.currentIdentity().accountId, is: before)
        do {
            try policies.setCurrentThreadAccountId(bob) { throw Failed(description: "thrown") }
        } catch is Failed {}
        try expect(policies.currentIdentity().accountId, is: before)
        try policies.setCurrentThreadAccountId("") { try create("\(directory)/nobodys", "x") }
        try refused(.invalidInput) {
            try policies.setCurrentThreadAccountId("a\u{7}b") {}
        }
        try policies.setProcessAccountId(personal)
        try create("\(directory)/personals", "x")
        try expect(policies.currentIdentity().source, is: .process)
        try policies.setProcessAccountId(nil)
        try expect(policies.setUIPolicyAccountId(ann).code, is: .success)
        try expect(policies.uiPolicyAccountIds(), is: [ann])
        try expect(policies.setUIPolicyAccountIds([ann, bob]).code, is: .success)
        try expect(policies.setUIPolicyAccountId(nil).code, is: .success)
    }

    /// The daemon ends and begins anew between the two, when somebody writes a line.
    func restart() throws {
        try policies.setCurrentThreadAccountId(ann) { try create("\(directory)/before", "x") }
        print("ready")
        fflush(nil)
        try expect(readLine() != nil)
        try policies.setCurrentThreadAccountId(bob) { try create("\(directory)/after", "x") }
        try expect(files.protectionInfo(.path("\(directory)/before"))?.accountId, is: ann)
    }

    /// Eight threads at once, each with an identity and files of its own.
    func threads() throws {
        try inThreads(8) { number in
            let who = number % 2 == 0 ? ann : bob
            for turn in 0..<20 {
                try policies.setCurrentThreadAccountId(who) {
                    try create("\(directory)/\(number)-\(turn)", "x")
                }
            }
        }
    }
}
