import FoundationEssentials
import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Testing

/// Made the files in Tests/Vectors. The outcomes are written here by hand, from docs/FORMAT.md.
///
/// Every run makes such files anew and reads them, so that what is written today has the same
/// outcomes. It stores them only with MAMD_MAKE_VECTORS in the environment, and never in the place
/// of a file that exists: a vector that was made again would only show that the product agrees with
/// itself.
@Suite struct VectorMaker {
    private static let stores = getenv("MAMD_MAKE_VECTORS") != nil

    private func write(
        _ name: String, _ comment: String, _ expect: String, step: String? = nil,
        blocks: String? = nil, zeros: String? = nil, _ sample: Sample
    ) throws {
        var fields = sample.fields
        fields["comment"] = comment
        fields["expect"] = expect
        fields["step"] = step
        fields["blocks"] = blocks
        fields["zeros"] = zeros
        fields["hole"] = sample.hole > 0 ? "\(sample.hole)" : nil
        let size = Int64(sample.bytes.count + sample.hole)
        if expect == "unmanaged" {
            fields["plain-size"] = "\(size - 1024)"
        } else if step == nil || step == "blocks", let extent = Extent(physicalSize: size) {
            fields["plain-size"] = expect == "newer" ? nil : "\(extent.plainSize)"
        }
        if sample.fields.isEmpty { fields["plain-size"] = nil }
        let vector = VectorFile(fields: fields, bytes: sample.bytes)
        if Self.stores { try store(vector.text, as: name) }
        #expect(VectorFile.isStored(name), "\(name) is not in Tests/Vectors")
        let reader = try VectorReader(vector)
        #expect(try reader.verdict() == vector.verdict, "\(name), made today")
        #expect(reader.differences == [], "\(name), made today")
    }

    private func store(_ text: String, as name: String) throws {
        do throws(Errno) {
            let file = try openFile(
                VectorFile.path(of: name), O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
            try Array(text.utf8).withUnsafeBytesTyped { buffer throws(Errno) in
                try writeFully(file.raw, from: buffer, at: 0)
            }
        } catch { guard error == .exists else { throw error } }
    }

    private func damaged(
        _ step: String, _ name: String, _ comment: String, blocks: String? = nil, _ sample: Sample
    ) throws {
        try write(name, comment, "damaged", step: step, blocks: blocks, sample)
    }

    @Test func `good files`() throws {
        for (letter, sizes) in [
            ("A", [0, 5, 7105]), ("B", [5, 3040]), ("C", [3041]), ("D", [7104, 10_000]),
        ] {
            for size in sizes {
                let account = try SampleAccount(#require(ProtectionClass(letter)))
                try write(
                    "good-\(letter.lowercased())-\(size)", "class \(letter), \(size) bytes", "ok",
                    Sample(account, size: size))
            }
        }
        let none = try SampleAccount(.none)
        try write(
            "good-long-names", "a name of 512 bytes and an object id of 64", "ok",
            Sample(
                none, size: 5,
                owner: Identity(
                    name: String(repeating: "a", count: 500) + "@contoso.com",
                    objectID: String(repeating: "0123456789abcdef", count: 4))))
        try write(
            "good-empty-names", "a managed file of nobody", "ok",
            Sample(none, size: 5, owner: .nobody))
        try write(
            "good-asked", "class A, asked for", "ok",
            Sample(SampleAccount(.complete), size: 5, asked: .complete))
        try write(
            "good-utf8-name", "a name outside ASCII, no object id", "ok",
            Sample(none, size: 5, owner: Identity(name: "jörg.ß@例え.example")))
    }

    @Test func `good files with holes and leftovers`() throws {
        let account = try SampleAccount(.completeUntilFirstUserAuthentication)
        var sparse = try Sample(account, size: 10_000) { file in
            try file.zero(3040..<7104, sealer: account.key)
        }
        sparse.fields["sparse"] = "yes"
        try write("good-sparse", "block 1 is a hole", "ok", zeros: "3040-7104", sparse)
        try write(
            "sparse-last-zeroed", "the last block is never a hole", "damaged", step: "blocks",
            blocks: "2=damaged", zeros: "3040-7104",
            sparse.changed { $0.bytes.replaceSubrange(8192..<12_288, with: zeros(4096)) })
        var grown = try Sample(account, size: 5) { file in
            try file.truncate(to: 7109, sealer: account.key)
        }
        grown.fields["sparse"] = "yes"
        try write("good-grown", "made longer without being written", "ok", zeros: "5-7109", grown)

        let file = try Sample(account, size: 3045)
        try write(
            "good-noise-in-hole", "the r bytes behind the blocks are not read", "ok",
            file.changed {
                $0.bytes += [1, 2, 3, 4, 5]; $0.hole = 0
            })
        let noise = VectorFile.plainBytes(count: 3040)
        try write(
            "good-padding", "padding that is not zero, as a crash may leave it", "ok",
            Sample(account, size: 5).changed { try $0.reseal(0, payload: noise, end: 6) })
        try write(
            "good-empty-last-block", "r = 0 with n = 2, as a crash may leave it", "ok",
            file.changed {
                try $0.reseal(1, payload: zeros(4064), end: 1)
                $0.hole = 0
            })
    }

    @Test func `files that are not managed`() throws {
        for size in [0, 5] {
            try write(
                "unmanaged-\(size)", "header and \(size) plain bytes", "unmanaged",
                Sample(unmanagedOf: size))
        }
        try write(
            "unmanaged-nobody", "an unmanaged file of nobody", "unmanaged",
            Sample(unmanagedOf: 5, owner: .nobody))
        var forged = try Sample(unmanagedOf: 5).forged { $0[64] = UInt8(ascii: "i") }
        forged.fields["owner"] = "inn@contoso.com"
        try write(
            "unmanaged-forged", "another name, the checksum right: out of reach", "unmanaged",
            forged)
        try write("empty", "no bytes", "empty", Sample(bytes: []))
        try write(
            "foreign-long", "longer than a header", "foreign",
            Sample(bytes: VectorFile.plainBytes(count: 1500)))
        try write(
            "foreign-zeros", "zeros: their checksum is not that of zeros", "foreign",
            Sample(bytes: zeros(1024)))
        try write(
            "foreign-3", "3 bytes of the magic", "foreign", Sample(bytes: Array(fileMagic[..<3])))
        try write(
            "foreign-almost", "7 bytes of the magic and another one", "foreign",
            Sample(bytes: fileMagic[..<7] + [0x1B]))
    }

    @Test func `one changed bit of the header`() throws {
        let account = try SampleAccount(.completeUnlessOpen)
        let sample = try Sample(account, size: 5)
        for (name, offset) in [
            ("magic", 2), ("version-0", 8), ("flags", 10), ("class", 11), ("reserved-12", 12),
            ("file-id", 31), ("key-id", 32), ("name-length", 48), ("object-id-length", 50),
            ("name", 64), ("object-id", 576), ("ephemeral", 671),
            ("wrap-nonce", 672), ("wrap-key", 719), ("wrap-tag", 735),
            ("checksum", 1023),
        ] {
            try damaged(
                "header", "flip-\(name)", "bit 0 of byte \(offset)", sample.flipped(offset))
        }
        try write(
            "newer-bad-checksum", "version 3 by one bit; the version is looked at first", "newer",
            sample.flipped(8, bit: 1))
        try write("newer", "version 2", "newer", sample.forged { $0[8] = 2 })
        try damaged(
            "header", "magic-zeroed", "no magic, and the checksum right for a file with one",
            sample.changed { $0.bytes.replaceSubrange(..<8, with: zeros(8)) })
    }

    /// Rules that no checksum stands in for.
    @Test func `headers that no writer makes, the checksum right`() throws {
        let managed = try Sample(SampleAccount(.complete), size: 5)
        let plain = try Sample(unmanagedOf: 5)
        let nameCount = UInt8(Sample.name.utf8.count)
        let rules: [(String, String, Sample, (inout [UInt8]) -> Void)] = [
            ("version-0", "version 0", managed, { $0[8] = 0 }),
            ("flag-4", "an unknown flag", managed, { $0[10] = 5 }),
            ("class-0", "no class in a managed file", managed, { $0[11] = 0 }),
            ("class-5", "class 5", managed, { $0[11] = 5 }),
            ("asked-5", "class 5 asked for", managed, { $0[12] = 5 }),
            ("reserved-15", "byte 15 is not zero", managed, { $0[15] = 1 }),
            ("reserved-1019", "byte 1019 is not zero", managed, { $0[1019] = 0x80 }),
            (
                "name-513", "a length of 513", managed,
                {
                    $0[48] = 1; $0[49] = 2
                }
            ),
            ("object-id-65", "a length of 65", managed, { $0[50] = 65 }),
            ("name-short", "a character past the length", managed, { $0[48] = nameCount - 1 }),
            ("name-nul", "a zero within the length", managed, { $0[48] = nameCount + 1 }),
            ("name-newline", "a control character", managed, { $0[66] = 0x0A }),
            ("object-id-delete", "control character 7F", managed, { $0[580] = 0x7F }),
            ("name-not-utf8", "half a character", managed, { $0[66] = 0xC3 }),
            ("ephemeral-in-a", "a public key in class A", managed, { $0[640] = 9 }),
            ("managed-cleared", "key and class without the flag", managed, { $0[10] = 0 }),
            ("unmanaged-sparse", "sparse and not managed", plain, { $0[10] = 2 }),
            ("unmanaged-class", "a class and not managed", plain, { $0[11] = 4 }),
            ("unmanaged-asked", "a class asked for and not managed", plain, { $0[12] = 1 }),
            ("unmanaged-wrap", "a wrapped key and not managed", plain, { $0[735] = 1 }),
        ]
        for (name, comment, sample, change) in rules {
            try damaged("header", "forged-\(name)", comment, sample.forged(change))
        }
    }

    @Test func `headers that keep all rules but were not written with the key`() throws {
        let sample = try Sample(SampleAccount(.complete), size: 5)
        let ephemeral = try Sample(SampleAccount(.completeUnlessOpen), size: 5)
        let changes: [(String, String, Sample, (inout [UInt8]) -> Void)] = [
            ("sparse", "the sparse flag set", sample, { $0[10] = 3 }),
            ("class-d", "class A made D", sample, { $0[11] = 4 }),
            ("asked", "a class asked for", sample, { $0[12] = 1 }),
            ("file-id", "another file id", sample, { $0[16] ^= 1 }),
            ("key-id", "another key id", sample, { $0[32] ^= 1 }),
            ("name", "another owner", sample, { $0[64] = UInt8(ascii: "i") }),
            ("wrap-nonce", "the nonce of the key wrap", sample, { $0[672] ^= 1 }),
            ("wrap-key", "the wrapped key", sample, { $0[688] ^= 1 }),
            ("wrap-tag", "the tag of the key wrap", sample, { $0[720] ^= 1 }),
            ("ephemeral", "another public key", ephemeral, { $0[640] ^= 1 }),
            ("ephemeral-top-bit", "the bit that X25519 ignores", ephemeral, { $0[671] ^= 0x80 }),
            (
                "ephemeral-zero", "a public key that leads to zeros", ephemeral,
                { $0.replaceSubrange(640..<672, with: zeros(32)) }
            ),
        ]
        for (name, comment, sample, change) in changes {
            try damaged("key", "wrap-\(name)", comment, sample.forged(change))
        }
    }

    @Test func `damaged blocks`() throws {
        let account = try SampleAccount(.complete)
        let two = try Sample(account, size: 3050)
        for (name, offset, block) in [
            ("nonce", 4096, 1), ("end", 4096 + 14, 1), ("tag", 4096 + 16, 1),
            ("first-byte", 4096 + 32, 1), ("padding", 8191, 1), ("block-0", 1056, 0),
        ] {
            try damaged(
                "blocks", "block-flip-\(name)", "bit 0 of byte \(offset)",
                blocks: "\(block)=damaged", two.flipped(offset))
        }
        let other = try Sample(account, size: 3050)
        try damaged(
            "blocks", "block-of-another-file", "same class key, same place", blocks: "1=damaged",
            two.changed { $0.bytes.replaceSubrange(4096..., with: other.bytes[4096...]) })
        try damaged(
            "blocks", "header-of-another-file", "its key wrap opens, the blocks do not",
            blocks: "0=damaged 1=damaged",
            other.changed { $0.bytes.replaceSubrange(1024..., with: two.bytes[1024...]) })
        try damaged(
            "blocks", "block-0-zeroed", "all but the header", blocks: "0=damaged",
            two.changed { $0.bytes.replaceSubrange(1024..<4096, with: zeros(3072)) })
    }

    @Test func `blocks in the wrong place, zeroed blocks`() throws {
        let account = try SampleAccount(.complete)
        let four = try Sample(account, size: 12_000)
        try damaged(
            "blocks", "blocks-swapped", "blocks 1 and 2, neither the last",
            blocks: "1=damaged 2=damaged",
            four.changed { sample in
                let (one, two) = (sample.bytes[4096..<8192], sample.bytes[8192..<12_288])
                sample.bytes.replaceSubrange(4096..<12_288, with: two + one)
            })
        let three = try Sample(account, size: 10_000)
        try damaged(
            "blocks", "block-zeroed", "and the file is not sparse", blocks: "1=damaged",
            three.changed { $0.bytes.replaceSubrange(4096..<8192, with: zeros(4096)) })
        try damaged(
            "blocks", "unfinished-tail", "a size set before its data was durable",
            blocks: "1=damaged 2=damaged",
            three.changed { $0.bytes.replaceSubrange(4096..., with: zeros(8192)) })
    }

    @Test func `end marks that the size contradicts`() throws {
        let account = try SampleAccount(.completeUntilFirstUserAuthentication)
        let three = try Sample(account, size: 10_000)
        let two = three.cut(to: 2 * 4096 + 100)
        try wrongEnd("cut-in-hole", "r made smaller", "2", three.cut(to: 3 * 4096 + 100))
        try wrongEnd("cut-hole-away", "r made 0", "2", three.cut(to: 3 * 4096))
        try wrongEnd("cut-a-block", "block 2 cut off", "1", two)
        try wrongEnd("cut-to-4096", "the first block alone", "0", three.cut(to: 4096))
        try wrongEnd(
            "longer-1", "one byte more", "2", zeros: "10000-10001",
            three.changed { $0.hole += 1 })
        try write(
            "longer-4096", "a zero block more", "wrong-end", step: "blocks",
            blocks: "2=wrong-end 3=damaged", zeros: "10000-11168",
            three.changed { $0.bytes += zeros(4096) })
        try wrongEnd(
            "old-last-block", "the file grew, and the block that was the last stayed old", "1",
            zeros: "7000-7104",
            three.changed { sample in
                let payload = VectorFile.plainBytes(count: 7000)[3040...] + zeros(104)
                try sample.reseal(1, payload: Array(payload), end: 1 + 3960)
            })
        try wrongEnd(
            "early-end", "block 0 of two says that it is the last", "0",
            Sample(account, size: 3041).changed { sample in
                try sample.reseal(0, payload: VectorFile.plainBytes(count: 3040), end: 3041)
            })
        try wrongEnd(
            "empty-last-block-end-0", "r = 0 with n = 2; the last block's mark is 0, not 1", "1",
            Sample(account, size: 3041).changed { sample in
                try sample.reseal(1, payload: zeros(4064), end: 0)
                sample.hole = 0
            })
    }

    private func wrongEnd(
        _ name: String, _ comment: String, _ block: String, zeros: String? = nil, _ sample: Sample
    ) throws {
        try write(
            name, comment, "wrong-end", step: "blocks", blocks: "\(block)=wrong-end", zeros: zeros,
            sample)
    }

    @Test func `files cut within the first block, and sizes that no file has`() throws {
        let sample = try Sample(SampleAccount(.complete), size: 3050)
        for size in [4, 7, 1023] {
            try damaged("header", "cut-to-\(size)", "\(size) bytes are left", sample.cut(to: size))
        }
        for size in [1024, 4095] {
            try damaged("size", "cut-to-\(size)", "\(size) bytes are left", sample.cut(to: size))
        }
        try damaged(
            "size", "size-r-3041", "n = 1, r = 3041", sample.cut(to: 4096 + 3041))
        try damaged(
            "size", "size-r-4065", "n = 2, r = 4065", sample.cut(to: 2 * 4096 + 4065))
        try damaged(
            "header", "cut-unmanaged-1023", "an unmanaged file within its header",
            Sample(unmanagedOf: 5).cut(to: 1023))
    }
}

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
