// Data and strings: the data protection manager.

internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMVault
internal import MAMWire

extension ProtectionInterface {
    func protectData(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([
            "owner", "unmanaged", "strict", "sourceDescriptor", "destinationDescriptor",
        ])
        let owner = try owner(call)
        if try call.parameters.flag("strict"), !vault.isManaged(owner) {
            throw .dataFailed(.invalidArgument, notManaged(owner, call))
        }
        let bytes = try protect(try ends(call, writes: true), owner)
        return ["bytes": JSONValue(bytes)]
    }

    func unprotectData(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["strict", "sourceDescriptor", "destinationDescriptor"])
        let isStrict = try call.parameters.flag("strict")
        let ends = try ends(call, writes: true)
        let found: UnprotectedData
        do throws(VaultError) {
            found = try Converter(vault).unprotectData(
                of: ends.source, ends, passesPlain: !isStrict
            ) {
                header throws(VaultError) in
                try requireReading(call, of: header)
            }
        } catch { throw .dataFailed(.decryptFailed, VarlinkError(error)) }
        guard found.wasProtected || !isStrict else {
            throw .dataFailed(.notProtected, .notManaged("it is not encrypted"))
        }
        return ["bytes": JSONValue(found.byteCount), "protected": .bool(found.wasProtected)]
    }

    func dataInfo(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["sourceDescriptor"])
        return try info(try ends(call, writes: false))
    }

    func protectString(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["owner", "unmanaged", "text"])
        let owner = try owner(call)
        let ends = MemoryEnds(Array(try text(call).utf8))
        _ = try protect(ends, owner)
        return ["text": .string(base64(ends.output))]
    }

    func unprotectString(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["text"])
        let text = try text(call)
        // What is no base64 was never protected.
        guard let bytes = bytes(base64: text) else {
            return ["text": .string(text), "protected": false]
        }
        let ends = MemoryEnds(bytes)
        guard try unprotect(call, ends).wasProtected else {
            return ["text": .string(text), "protected": false]
        }
        guard let plain = String(validating: ends.output, as: UTF8.self) else {
            throw .dataFailed(
                .decryptFailed, .invalidInput("what was protected is no text: use UnprotectData"))
        }
        return ["text": .string(plain), "protected": true]
    }

    func stringInfo(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["text"])
        return try info(MemoryEnds(bytes(base64: try text(call)) ?? []))
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
        _ call: VarlinkCall, _ ends: any StreamEnds
    ) throws(VarlinkError) -> UnprotectedData {
        do throws(VaultError) {
            return try DataStreams(vault).unprotectData(ends) { header throws(VaultError) in
                try requireReading(call, of: header)
            }
        } catch { throw .dataFailed(.decryptFailed, VarlinkError(error)) }
    }

    private func info(_ ends: any StreamEnds) throws(VarlinkError) -> [String: JSONValue] {
        let found: ProtectionInfo?
        do throws(VaultError) { found = try DataStreams(vault).dataProtection(ends) } catch {
            throw .dataFailed(.decryptFailed, VarlinkError(error))
        }
        guard let found else {
            return ["protection": .null, "status": JSONValue(DataStatus.notProtected.rawValue)]
        }
        return ["protection": found.json, "status": 0]
    }

    private func owner(_ call: VarlinkCall) throws(VarlinkError) -> Identity {
        guard let owner = try namedOwner(call) else {
            throw .dataFailed(.invalidArgument, .noOwner)
        }
        do throws(VarlinkError) { try requireMeant(owner, call) } catch {
            throw .dataFailed(.invalidArgument, error)
        }
        return owner
    }

    private func text(_ call: VarlinkCall) throws(VarlinkError) -> String {
        guard let text = try call.parameters.optionalString("text") else {
            throw Self.missing("text")
        }
        return text
    }

    private func ends(_ call: VarlinkCall, writes: Bool) throws(VarlinkError) -> DescriptorEnds {
        let source = try end(call, "sourceDescriptor")
        guard writes else { return DescriptorEnds(call: call, source: source) }
        let destination = try end(call, "destinationDescriptor")
        guard !DescriptorEnds.areOneFile(source, destination) else {
            throw .dataFailed(
                .invalidArgument, .invalidInput("the source and the destination are one file"))
        }
        return DescriptorEnds(call: call, source: source, destination: destination)
    }

    /// Reading or writing anything else may have other effects: a message on a socket carries its
    /// sender's credentials, which would be the daemon's.
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
