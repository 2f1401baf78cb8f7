// A file as the product writes it, from which a vector is made.

import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import TestSupport

/// One class key of an account that exists only in vectors.
struct SampleAccount {
    let protectionClass: ProtectionClass
    let keyID = KeyID(SecureRandom.bytes16())
    let key: VectorKey
    let fields: [String: String]

    init(_ protectionClass: ProtectionClass) throws {
        self.protectionClass = protectionClass
        let secret = SecretBytes.random(count: 32)
        if protectionClass == .completeUnlessOpen {
            let pair = try Curve25519.KeyPair(privateKey: secret)
            key = .pair(privateKey: secret, publicKey: pair.publicKey)
            fields = [
                "class-private": secret.withBytes { hex($0) },
                "class-public": pair.publicKey.withBytes { hex($0) },
            ]
        } else {
            key = .secret(secret)
            fields = ["class-key": secret.withBytes { hex($0) }]
        }
    }
}

/// Physical bytes and what a vector says of them.
struct Sample {
    var bytes: [UInt8]
    /// Zero bytes after `bytes`.
    var hole: Int
    /// The header's fields, and the class key.
    var fields: [String: String]
    /// Nil in an unmanaged file.
    var fileKey: SecretBytes?
    var fileID: FileID

    static let name = "ann@contoso.com"
    static let objectID = "2f4d6c1e-9a0b-4c3d-8e7f-5a1b2c3d4e5f"

    /// A managed file with `size` bytes by the formula, after which `change` may go on.
    init(
        _ account: SampleAccount, size: Int, owner: Identity? = nil,
        asked: ProtectionClass? = nil,
        change: (StoredFile) throws -> Void = { _ in }
    ) throws {
        let owner = try owner ?? Identity(name: Self.name, objectID: Self.objectID)
        let header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()), owner: owner,
            sealing: .init(
                protectionClass: account.protectionClass, askedClass: asked,
                keyID: account.keyID, isSparse: false, ephemeralKey: .zero))
        let key = SecretBytes.random(count: 32)
        let physical = try Self.write(header, key, account.key, size, change)
        fileID = header.fileID
        fileKey = key
        hole = physical.count % Layout.blockByteCount
        bytes = Array(physical.dropLast(hole))
        fields = [
            "owner": owner.name, "object-id": owner.objectID, "file-id": "\(fileID.bytes)",
            "class": account.protectionClass.letter, "key-id": "\(account.keyID.bytes)",
        ].merging(account.fields) { $1 }
    }

    /// An unmanaged file.
    init(unmanagedOf size: Int, owner: Identity? = nil) throws {
        let owner = try owner ?? Identity(name: Self.name, objectID: Self.objectID)
        let header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()), owner: owner, sealing: nil)
        let noKey = VectorKey.secret(SecretBytes(count: 0))
        bytes = try Self.write(header, nil, noKey, size) { _ in }
        hole = 0
        fileID = header.fileID
        fields = [
            "owner": owner.name, "object-id": owner.objectID, "file-id": "\(fileID.bytes)",
        ]
    }

    /// Bytes that the product did not write.
    init(bytes: [UInt8]) {
        self.bytes = bytes
        hole = 0
        fields = [:]
        fileID = FileID(.zero)
    }

    private static func write(
        _ header: FileHeader, _ key: SecretBytes?, _ sealer: VectorKey, _ size: Int,
        _ change: (StoredFile) throws -> Void
    ) throws -> [UInt8] {
        startCrypto()
        let place = try TemporaryFile()
        let file = try StoredFile(opening: place.descriptor)
        try file.startOver(as: header, key: key, sealer: sealer)
        try VectorFile.plainBytes(count: size).withUnsafeBytesTyped { buffer throws(StoreError) in
            try file.write(buffer, at: 0, sealer: sealer)
        }
        try change(file)
        return try readSmallFile(place.path, maximumByteCount: 1 << 20)
    }
}

extension Sample {
    /// The same with some bytes changed.
    func changed(_ change: (inout Sample) throws -> Void) rethrows -> Sample {
        var sample = self
        try change(&sample)
        return sample
    }

    /// One changed bit in each of some bytes.
    func flipped(_ offsets: Int..., bit: Int = 0) -> Sample {
        changed { sample in for offset in offsets { sample.bytes[offset] ^= 1 << bit } }
    }

    /// Another header with a right checksum, as everybody that knows this format can make it.
    func forged(_ change: (inout [UInt8]) -> Void) -> Sample {
        changed { sample in
            change(&sample.bytes)
            var span = sample.bytes.mutableSpan
            var raw = span.mutableBytes
            FileHeader.finish(&raw)
        }
    }

    /// As if `st_size` were this.
    func cut(to size: Int) -> Sample {
        changed { sample in
            sample.hole = max(0, size - sample.bytes.count)
            sample.bytes = Array(sample.bytes.prefix(size))
            if sample.bytes.count > Layout.blockByteCount {
                let rest = sample.bytes.count % Layout.blockByteCount
                sample.bytes.removeLast(rest)
                sample.hole += rest
            }
        }
    }

    static func place(ofBlock index: Int) -> Range<Int> {
        index == 0 ? 1024..<4096 : index * 4096..<(index + 1) * 4096
    }

    /// Seals a block anew, under the file's own key: what a crash can leave, and no cut can.
    mutating func reseal(_ block: Int, payload: [UInt8], end: Int) throws {
        guard let fileKey else { throw SealError.failure }
        var data = [UInt8](repeating: 0, count: BlockSeal.associatedByteCount)
        var span = data.mutableSpan
        var raw = span.mutableBytes
        BlockSeal.writeAssociatedData(file: fileID, block: Int64(block), to: &raw)
        var seal = (0..<14).map { _ in UInt8.random(in: 0...255) }
        seal += [UInt8(end & 255), UInt8(end >> 8)] + [UInt8](repeating: 0, count: 16)
        var sealed = payload
        try seal.withUnsafeMutableBytes { seal in
            try sealed.withUnsafeMutableBytes { sealed in
                try data.withUnsafeBytes { data in
                    guard let nonce = seal.baseAddress, let into = sealed.baseAddress else {
                        return
                    }
                    try BlockCipher(key: fileKey).withSession { session throws(SealError) in
                        try session.seal(
                            UnsafeRawBufferPointer(sealed), nonce: nonce, associatedData: data,
                            into: into, tag: nonce + BlockSeal.nonceByteCount)
                    }
                }
            }
        }
        bytes.replaceSubrange(Self.place(ofBlock: block), with: seal + sealed)
    }
}

private func hex(_ bytes: UnsafeRawBufferPointer) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
