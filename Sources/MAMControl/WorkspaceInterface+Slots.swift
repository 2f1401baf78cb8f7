// Key slots over the socket: list, test, add, remove.

internal import MAMKeyring
internal import MAMModel
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension WorkspaceInterface {
    func listSlots(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ListSlots.Reply {
        let request: Wire.ListSlots = try call.request()
        let account = try account(request.account, call).id
        return .init(slots: KeySlots(tree).all(of: account).map { .init($0) })
    }

    func testSlot(_ call: VarlinkCall) throws(VarlinkError) -> Wire.TestSlot.Reply {
        let request: Wire.TestSlot = try call.request()
        let (account, name) = try account(request.account, call)
        let secret = try call.secret("passphrase")
        let slot = try keyed(name) { () throws(KeyringError) in
            try KeySlots(tree).test(of: account, secret: secret)
        }
        return .init(slot: .init(slot))
    }

    func addSlot(_ call: VarlinkCall) throws(VarlinkError) -> Wire.AddSlot.Reply {
        let request: Wire.AddSlot = try call.request()
        let (account, name) = try account(request.account, call)
        let opening = try call.secret("passphrase")
        guard let new = try call.secret("newPassphrase") else {
            throw .invalidInput("newPassphrase is missing")
        }
        let slot = try keyed(name) { () throws(KeyringError) in
            try KeySlots(tree).add(.init(request.type), to: account, with: opening, new: new)
        }
        return .init(slot: .init(slot))
    }

    func removeSlot(_ call: VarlinkCall) throws(VarlinkError) -> Wire.RemoveSlot.Reply {
        let request: Wire.RemoveSlot = try call.request()
        let (account, name) = try account(request.account, call)
        guard let id = KeySlot.ID(request.slot) else {
            throw .invalidInput("a key slot has eight hexadecimal digits")
        }
        let opening = try call.secret("passphrase")
        let slot = try keyed(name) { () throws(KeyringError) in
            try KeySlots(tree).remove(id, of: account, with: opening)
        }
        return .init(slot: .init(slot))
    }
}

extension Varlink.Workspace.Slot {
    fileprivate init(_ slot: KeySlot) {
        self.init(id: "\(slot.id)", type: .init(slot.kind), created: Int(slot.creationTime))
    }
}

extension Varlink.Workspace.SlotType {
    fileprivate init(_ kind: KeySlot.Kind) {
        self =
            switch kind {
            case .passphrase: .passphrase
            case .recovery: .recovery
            }
    }
}

extension KeySlot.Kind {
    fileprivate init(_ type: Varlink.Workspace.SlotType) {
        self =
            switch type {
            case .passphrase: .passphrase
            case .recovery: .recovery
            }
    }
}
