// io.mamd.Protection over the vault and the mount.

internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire

/// Implements the interface. Stateless.
package struct ProtectionInterface: VaultInterface {
    typealias Wire = Varlink.Protection

    let tree: Tree

    package init(tree: Tree) {
        self.tree = tree
    }

    package typealias Method = Varlink.Protection.Method

    package var name: String { Varlink.Protection.name }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Method.self) {
        case .protect: try protect(call, onlyIfOther: false)
        case .verifyAndProtect: try protect(call, onlyIfOther: true)
        case .encryptFile: try encryptFile(call)
        case .decryptFile: try decryptFile(call)
        case .isFileEncrypted: try isFileEncrypted(call)
        case .protectData: try protectData(call)
        case .unprotectData: try unprotectData(call)
        case .dataInfo: try dataInfo(call)
        case .protectString: try protectString(call)
        case .unprotectString: try unprotectString(call)
        case .stringInfo: try stringInfo(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .protect, .verifyAndProtect, .encryptFile, .decryptFile, .protectData,
            .unprotectData, .dataInfo:
            .long
        case .isFileEncrypted, .protectString, .unprotectString, .stringInfo, nil: .short
        }
    }
}
