// Data and strings: the SDK's data protection manager.

internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension ProtectionInterface {
    func protectData(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ProtectData.Reply {
        let request: Wire.ProtectData = try call.request()
        let owner = try owner(request.owner, unmanaged: request.unmanaged, call)
        if request.strict == true, !vault.isManaged(owner) {
            throw .dataFailed(.invalidArgument, notManaged(owner, call))
        }
        let giver = try dataGiver(call, override: request.override)
        let ends = try ends(call, writes: true, by: giver)
        do throws(VaultError) {
            try requireGift(Gift(vault, by: giver), ofShown: ends.source, to: owner)
        } catch { throw .dataFailed(.encryptFailed, VarlinkError(error)) }
        let bytes = try protect(ends, owner)
        return .init(bytes: Int(bytes))
    }

    func unprotectData(_ call: VarlinkCall) throws(VarlinkError) -> Wire.UnprotectData.Reply {
        let request: Wire.UnprotectData = try call.request()
        let isStrict = request.strict == true
        let giver = try dataGiver(call, override: request.override)
        let ends = try ends(call, writes: true, by: giver)
        let gift = Gift(vault, by: giver)
        let receiver = receiver(ownUse: request.ownUse, call, of: ends.destination)
        let found: UnprotectedData
        do throws(VaultError) {
            try requireGift(gift, ofShown: ends.source, to: receiver)
            found = try Converter(vault).unprotectData(
                of: ends.source, ends, passesPlain: !isStrict
            ) {
                header throws(VaultError) in
                try requireGift(call, gift, of: header, in: ends.source, to: receiver)
            }
        } catch { throw .dataFailed(.decryptFailed, VarlinkError(error)) }
        guard found.wasProtected || !isStrict else {
            throw .dataFailed(.notProtected, .notManaged("it is not encrypted"))
        }
        return .init(bytes: Int(found.byteCount), protected: found.wasProtected)
    }

    func dataInfo(_ call: VarlinkCall) throws(VarlinkError) -> Wire.DataInfo.Reply {
        _ = try call.request(Wire.DataInfo.self)
        return try info(try ends(call, writes: false))
    }

    func protectString(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ProtectString.Reply {
        let request: Wire.ProtectString = try call.request()
        let owner = try owner(request.owner, unmanaged: request.unmanaged, call)
        let ends = MemoryEnds(Array(try given(request.text).utf8))
        _ = try protect(ends, owner)
        return .init(text: base64(ends.output))
    }

    func unprotectString(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.UnprotectString.Reply {
        let request: Wire.UnprotectString = try call.request()
        let giver = try dataGiver(call, override: request.override)
        let text = try given(request.text)
        // Protected strings are base64.
        guard let bytes = bytes(base64: text) else { return .init(text: text, protected: false) }
        let ends = MemoryEnds(bytes)
        let receiver = receiver(ownUse: request.ownUse, call)
        guard try unprotect(call, ends, Gift(vault, by: giver), receiver).wasProtected else {
            return .init(text: text, protected: false)
        }
        guard let plain = String(validating: ends.output, as: UTF8.self) else {
            throw .dataFailed(
                .decryptFailed, .invalidInput("what was protected is no text: use UnprotectData"))
        }
        return .init(text: plain, protected: true)
    }

    func stringInfo(_ call: VarlinkCall) throws(VarlinkError) -> Wire.StringInfo.Reply {
        let request: Wire.StringInfo = try call.request()
        return try info(MemoryEnds(bytes(base64: try given(request.text)) ?? []))
    }

    private func protect(
        _ ends: any StreamEnds, _ owner: Identity
    ) throws(VarlinkError) -> Int64 {
        guard !Accounts(vault).all.isEmpty else {
            throw .dataFailed(
                .applicationNotManaged, .notManaged("no account is registered in this workspace"))
        }
        let bytes: Int64
        do throws(VaultError) { bytes = try DataStreams(vault).protectData(for: owner, ends) } catch
        {
            throw .dataFailed(.encryptFailed, VarlinkError(error))
        }
        guard bytes > 0 else {
            throw .dataFailed(.dataEmpty, .invalidInput("there is no data to protect"))
        }
        return bytes
    }

    private func unprotect(
        _ call: VarlinkCall, _ ends: any StreamEnds, _ gift: Gift, _ receiver: Identity
    ) throws(VarlinkError) -> UnprotectedData {
        do throws(VaultError) {
            return try DataStreams(vault).unprotectData(ends) { header throws(VaultError) in
                try requireGift(call, gift, of: header, to: receiver)
            }
        } catch { throw .dataFailed(.decryptFailed, VarlinkError(error)) }
    }

    /// A program that reads its data back is no worse than one that reads its files.
    private func receiver(
        ownUse: Bool?, _ call: VarlinkCall, of destination: Descriptor? = nil
    ) -> Identity {
        ownUse == true ? identity(of: call.peer) : receiver(of: destination)
    }

    private func info(_ ends: any StreamEnds) throws(VarlinkError) -> Wire.DataInfo.Reply {
        let found: FileProtection?
        do throws(VaultError) { found = try DataStreams(vault).dataProtection(ends) } catch {
            throw .dataFailed(.decryptFailed, VarlinkError(error))
        }
        guard let found else { return .init(status: DataStatus.notProtected.rawValue) }
        return .init(protection: .init(found), status: 0)
    }

    private func owner(
        _ name: String?, unmanaged: Bool?, _ call: VarlinkCall
    ) throws(VarlinkError) -> Identity {
        guard let owner = try namedOwner(name, call) else {
            throw .dataFailed(.invalidArgument, .noOwner)
        }
        do throws(VarlinkError) { try requireMeant(owner, unmanaged: unmanaged, call) } catch {
            throw .dataFailed(.invalidArgument, error)
        }
        return owner
    }

    private func dataGiver(
        _ call: VarlinkCall, override: String?
    ) throws(VarlinkError) -> Giver {
        do throws(VarlinkError) { return try giver(call, override: override) } catch {
            throw .dataFailed(.invalidArgument, error)
        }
    }

    private func given(_ text: String?) throws(VarlinkError) -> String {
        guard let text else { throw Self.missing("text") }
        return text
    }

    private func ends(
        _ call: VarlinkCall, writes: Bool, by giver: Giver? = nil
    ) throws(VarlinkError) -> DescriptorEnds {
        var source = try end(call, "sourceDescriptor")
        if let giver { source = try opened(source, by: giver) }
        guard writes else { return DescriptorEnds(call: call, source: source) }
        let destination = try end(call, "destinationDescriptor")
        guard !DescriptorEnds.areOneFile(source, destination) else {
            throw .dataFailed(
                .invalidArgument, .invalidInput("the source and the destination are one file"))
        }
        return DescriptorEnds(call: call, source: source, destination: destination)
    }

    /// Accepts only descriptors that are safe to read and write. On a datagram socket, for one,
    /// messages would carry the daemon's credentials instead of the caller's.
    private func end(_ call: VarlinkCall, _ name: String) throws(VarlinkError) -> Descriptor {
        guard let descriptor = try call.descriptor(name) else { throw Self.missing(name) }
        guard DescriptorEnds.canBe(descriptor) else {
            throw .dataFailed(
                .invalidArgument,
                .invalidInput("\(name) is no file, pipe, stream socket or device"))
        }
        do throws(VarlinkError) { try requireOrdinary(descriptor, call) } catch {
            throw .dataFailed(.invalidArgument, error)
        }
        return descriptor
    }

    private static func missing(_ name: String) -> VarlinkError {
        .dataFailed(.invalidArgument, .invalidInput("\(name) is missing"))
    }
}
