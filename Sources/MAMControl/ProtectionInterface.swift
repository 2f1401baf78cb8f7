// io.mamd.Protection over the vault and the mount.

package import MAMModel
internal import MAMSystem
package import MAMTree
package import MAMVault
internal import MAMWire

/// Answers the socket. Holds no state of its own.
package struct ProtectionInterface: VaultInterface {
    let vault: Vault
    let tree: Tree

    package init(vault: Vault, tree: Tree) {
        self.vault = vault
        self.tree = tree
    }

    package var name: String { Varlink.Protection.name }
    package var description: String { Varlink.Protection.text }

    package func answer(_ call: VarlinkCall) throws -> [String: JSONValue] {
        switch call.method {
        case "Protect": try protect(call, onlyIfOther: false)
        case "VerifyAndProtect": try protect(call, onlyIfOther: true)
        case "EncryptFile": try encryptFile(call)
        case "DecryptFile": try decryptFile(call)
        case "IsFileEncrypted": try isFileEncrypted(call)
        case "ProtectData": try protectData(call)
        case "UnprotectData": try unprotectData(call)
        case "DataInfo": try dataInfo(call)
        case "ProtectString": try protectString(call)
        case "UnprotectString": try unprotectString(call)
        case "StringInfo": try stringInfo(call)
        default: throw VarlinkError.methodNotFound(call.method)
        }
    }
    package func cost(of method: String) -> CallCost {
        switch method {
        case "Protect", "VerifyAndProtect", "EncryptFile", "DecryptFile", "ProtectData",
            "UnprotectData", "DataInfo":
            .long
        default: .short
        }
    }
}
