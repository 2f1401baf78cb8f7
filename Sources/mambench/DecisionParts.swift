// The vault's decisions on opening a file.

import Glibc
import MAMFormat
import MAMIdentity
import MAMKeyring
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace

/// A vault with one account, whose policy allows transfers to managed programs only.
private func makeVault(in directory: ScratchDirectory) throws -> (Vault, Identity) {
    let document = #"{"allowedOutboundDataTransferDestinations": "managedApps"}"#
    let state = try openFile(directory.path(""), O_RDONLY | O_DIRECTORY)
    let keyring = try Keyring(stateDirectory: state) { _ in }
    let vault = try Vault(
        settings: Settings(),
        policies: PolicyBook(documents: try PolicyDocument.decode(Array(document.utf8))),
        keyring: keyring, stateDirectory: nil, log: .silent)
    let ann = try Identity(name: "ann@contoso.com")
    let tree = try Tree(
        vault: vault, root: state, workDirectory: nil, mountPoint: ByteString(""),
        isReadOnly: true
    ) { _ in }
    _ = try Registration(tree).register(ann, user: getuid(), passphrase: nil)
    return (vault, ann)
}

func measureDecisions(_ bench: Bench, in directory: ScratchDirectory) throws {
    let (vault, ann) = try makeVault(in: directory)
    let descriptor = try openFile(directory.path("sealed"), O_RDWR | O_CREAT, mode: 0o600)
    let file = try Files(vault).file(descriptor)
    try Files(vault).begin(file, as: ann, asking: nil)
    let process = getpid()
    guard let life = ProcessStatus(of: process)?.life,
        vault.identities.set(ann, by: getuid(), for: life)
    else {
        throw Errno.noEntry
    }
    try bench.measure("policy of an identity", count: 20_000) { _ in
        _ = vault.policy(of: ann)
    }
    try bench.measure("identity of a thread", count: 500) { _ in
        _ = Callers(vault).identity(ofThread: process, user: getuid())
    }
    let header = file.header
    try bench.measure("check a transfer", count: 20_000) { _ in
        try Transfers(vault).checkTransfer(of: header) { ann }
    }
    try bench.measure("admit a file that has its key", count: 20_000) { _ in
        try Files(vault).admit(file)
    }
    try bench.measure("open and admit a file", count: 1000) { _ in
        try Files(vault).admit(try Files(vault).file(descriptor))
    }
}
