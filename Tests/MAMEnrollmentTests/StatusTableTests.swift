import MAMEnrollment
import MAMModel
import MAMSystem
import Testing

/// docs/ENROLLMENT.md has every number that mamd gives, in the program's words, and no other.
@Test func `the page has the table of status codes`() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let bytes = try readSmallFile("/\(root)/docs/ENROLLMENT.md", maximumByteCount: 1 << 20)
    // A long entry goes on in the next line.
    let page = String(decoding: bytes, as: UTF8.self).replacing(";\n  ", with: "; ")
    for code in StatusCode.allCases {
        let entry = "- **\(code.rawValue)**: "
        if let cause = code.cause {
            #expect(page.contains("\(entry)\(code.meaning); \(cause)\n"))
        } else {
            #expect(!page.contains(entry))
        }
    }
}
