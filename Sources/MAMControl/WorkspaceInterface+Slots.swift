// Key slots over the socket: list, test, add, remove.

internal import MAMCrypto
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
        let id = try request.slot.map(slotID)
        let secret = try call.secret("passphrase")
        let slot = try keyed(name) { () throws(KeyringError) in
            try KeySlots(tree).test(id, of: account, secret: secret)
        }
        return .init(slot: .init(slot))
    }

    func addSlot(_ call: VarlinkCall) throws(VarlinkError) -> Wire.AddSlot.Reply {
        let request: Wire.AddSlot = try call.request()
        let (account, name) = try account(request.account, call)
        let opening = try call.secret("passphrase")
        let new = try newSlot(request, secret: try call.secret("newPassphrase"))
        let slot = try keyed(name) { () throws(KeyringError) in
            try KeySlots(tree).add(new, to: account, with: opening)
        }
        return .init(slot: .init(slot))
    }

    func removeSlot(_ call: VarlinkCall) throws(VarlinkError) -> Wire.RemoveSlot.Reply {
        let request: Wire.RemoveSlot = try call.request()
        let (account, name) = try account(request.account, call)
        let id = try slotID(request.slot)
        let opening = try call.secret("passphrase")
        let slot = try keyed(name) { () throws(KeyringError) in
            try KeySlots(tree).remove(id, of: account, with: opening)
        }
        return .init(slot: .init(slot))
    }
}

func slotID(_ text: String) throws(VarlinkError) -> KeySlot.ID {
    guard let id = KeySlot.ID(text) else {
        throw .invalidInput("a key slot has eight hexadecimal digits")
    }
    return id
}

private func newSlot(
    _ request: Varlink.Workspace.AddSlot, secret: SecretBytes?
) throws(VarlinkError) -> NewSlot {
    if request.type == .tpm { return .tpm(pin: secret, pcrs: try pcrSet(request.pcrs ?? [])) }
    guard let secret else { throw .invalidInput("newPassphrase is missing") }
    guard request.pcrs == nil else { throw .invalidInput("pcrs is for slots of type tpm") }
    return request.type == .recovery ? .recovery(secret) : .passphrase(secret)
}

/// Bit N for PCR N.
private func pcrSet(_ numbers: [Int]) throws(VarlinkError) -> UInt32 {
    guard numbers.allSatisfy(ChipSeal.pcrRange.contains) else {
        throw .invalidInput("a PCR is 0 to \(ChipSeal.pcrRange.upperBound - 1)")
    }
    return numbers.reduce(0) { $0 | 1 << UInt32($1) }
}

extension Varlink.Workspace.Slot {
    fileprivate init(_ slot: KeySlot) {
        self.init(
            id: "\(slot.id)", type: .init(slot.kind), created: Int(slot.creationTime),
            pin: slot.chip.map { _ in slot.derivation != nil }, pcrs: slot.chip?.pcrNumbers)
    }
}

extension Varlink.Workspace.SlotType {
    fileprivate init(_ kind: KeySlot.Kind) {
        self =
            switch kind {
            case .passphrase: .passphrase
            case .recovery: .recovery
            case .tpm: .tpm
            }
    }
}
