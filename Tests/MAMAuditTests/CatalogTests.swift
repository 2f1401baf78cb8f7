// The journal's explanations, beside the table of ids.

import MAMAudit
import MAMModel
import MAMSystem
import Testing

private let root = "\(#filePath)".split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

@Suite struct CatalogTests {
    @Test func `every id is one of its own and has an entry, with a subject and a text`() throws {
        let bytes = try readSmallFile("\(root)/systemd/mamd.catalog", maximumByteCount: 1 << 20)
        let entries = String(decoding: bytes, as: UTF8.self).split(separator: "\n-- ").dropFirst()
        var found: Set<String> = []
        for entry in entries {
            let lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
            found.insert(String(lines[0]))
            #expect(lines[1].hasPrefix("Subject: "))
            #expect(lines.drop { !$0.isEmpty }.contains { $0.count > 20 }, "\(lines[1])")
        }
        #expect(found == Set(LogMessage.allCases.map(\.id)))
        #expect(found.count == LogMessage.allCases.count)
    }

    @Test func `it names only fields that there are`() throws {
        let bytes = try readSmallFile("\(root)/systemd/mamd.catalog", maximumByteCount: 1 << 20)
        let text = String(decoding: bytes, as: UTF8.self)
        let named = text.matches(of: /@([A-Z_]+)@/).map { String($0.output.1) }
        #expect(Set(named).subtracting(LogField.allCases.map(\.rawValue)).isEmpty)
        #expect(named.count > 20)
    }
}
