import FoundationEssentials
import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Testing

@Suite struct StreamTests {
    /// Only ever grows.
    static let knownCount = 27

    @Test(arguments: VectorFile.streams)
    func `the outcome of a stored stream is the one in the file`(name: String) throws {
        let vector = try VectorFile(stream: name)
        #expect(try vector.streamVerdict() == vector.verdict)
        // However it arrives.
        #expect(try vector.streamVerdict(pieces: 7) == vector.verdict)
    }

    @Test
    func `no stored stream is missing`() { #expect(VectorFile.streams.count >= Self.knownCount) }

    /// Made the stored ones, with MAMD_MAKE_VECTORS in the environment: see ``VectorMaker``.
    @Test func `what is written today has the same outcomes`() throws {
        let chunk = StreamForm.chunkByteCount
        let account = try SampleAccount(.completeUntilFirstUserAuthentication)
        for letter in ["A", "B", "C", "D"] {
            let account = try SampleAccount(#require(ProtectionClass(letter)))
            try write(
                "stream-\(letter.lowercased())-5", "class \(letter)", "ok",
                StreamSample(account, size: 5))
        }
        try write("stream-1", "one byte", "ok", StreamSample(account, size: 1))
        try write("stream-chunk", "one whole chunk", "ok", StreamSample(account, size: chunk))
        let two = try StreamSample(account, size: chunk + 1)
        try write("stream-chunk-and-1", "a chunk, and one byte in another", "ok", two)
        try write(
            "stream-no-names", "an account without a name", "ok",
            StreamSample(account, size: 5, name: "", objectID: Sample.objectID))
        try write("stream-unmanaged", "unmanaged", "unmanaged", StreamSample(nil, size: 5))
        try write(
            "stream-nobody", "nobody's", "unmanaged",
            StreamSample(nil, size: 5, name: "", objectID: ""))
        try damaged("chunks", two, chunk)
        try damagedHeaders(StreamSample(account, size: 5))
    }

    private func damaged(_ name: String, _ two: StreamSample, _ chunk: Int) throws {
        let head = two.bytes.count - chunk - 1 - 2 * 16
        func write(_ name: String, _ comment: String, at block: Int, _ sample: StreamSample) throws
        {
            var sample = sample
            sample.fields["plain-size"] = "\(block * chunk)"
            try self.write(
                "stream-\(name)", comment, "damaged", step: "blocks", blocks: "\(block)", sample)
        }
        try write(
            "cut-at-border", "cut between two chunks", at: 0, two.changed { $0.removeLast(17) })
        try write("cut", "nine bytes cut off", at: 1, two.changed { $0.removeLast(9) })
        try write(
            "cut-behind-header", "nothing but the header", at: 0,
            two.changed { $0.removeLast($0.count - head) })
        try write("extended", "one byte more", at: 1, two.changed { $0.append(0) })
        try write(
            "tag-alone", "a last chunk without content", at: 1, two.changed { $0.removeLast() })
        try write("flip-first", "a bit of chunk 0", at: 0, two.changed { $0[head] ^= 1 })
        try write(
            "flip-tag", "a bit of the last tag", at: 1, two.changed { $0[$0.count - 1] ^= 0x80 })
    }

    private func damagedHeaders(_ sample: StreamSample) throws {
        let head = sample.bytes.count - 5 - 16
        func damaged(_ name: String, _ step: String, _ comment: String, _ sample: StreamSample)
            throws
        {
            try write("stream-\(name)", comment, "damaged", step: step, sample)
        }
        try write("stream-foreign", "another magic", "foreign", sample.changed { $0[4] ^= 1 })
        try write(
            "stream-short", "3 bytes of the magic", "foreign",
            sample.changed { $0.removeLast($0.count - 3) })
        try damaged(
            "cut-in-magic", "header", "4 bytes of the magic",
            sample.changed { $0.removeLast($0.count - 4) })
        try damaged(
            "cut-in-header", "header", "cut in the header",
            sample.changed { $0.removeLast($0.count - head + 1) })
        try damaged("checksum", "header", "another checksum", sample.changed { $0[head - 1] ^= 1 })
        try damaged(
            "owner", "key", "another owner, with a right checksum",
            sample.forged(headerCount: head) { $0[32] ^= 1 })
        try damaged(
            "flag", "header", "an unknown flag", sample.forged(headerCount: head) { $0[10] |= 2 })
        try damaged(
            "version-0", "header", "version 0", sample.forged(headerCount: head) { $0[8] = 0 })
        try damaged(
            "control", "header", "a control character in the name",
            sample.forged(headerCount: head) { $0[33] = 7 })
        try write("stream-newer", "version 2", "newer", sample.changed { $0[8] = 2 })
    }

    private func write(
        _ name: String, _ comment: String, _ expect: String, step: String? = nil,
        blocks: String? = nil, _ sample: StreamSample
    ) throws {
        var fields = sample.fields
        fields["comment"] = comment
        fields["expect"] = expect
        fields["step"] = step
        fields["blocks"] = blocks
        if expect == "foreign" || expect == "newer" || step == "header" || step == "key" {
            fields["plain-size"] = nil
        }
        let vector = VectorFile(fields: fields, bytes: sample.bytes)
        let path = "\(VectorFile.directory)/\(name).stream"
        if getenv("MAMD_MAKE_VECTORS") != nil, access(path, F_OK) != 0 {
            try vector.text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(VectorFile.streams.contains("\(name).stream"), "\(name) is not in Tests/Vectors")
        #expect(try vector.streamVerdict() == vector.verdict, "\(name), made today")
    }
}
