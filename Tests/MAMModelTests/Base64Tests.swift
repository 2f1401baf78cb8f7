import MAMModel
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "the vectors of RFC 4648, both ways",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, text: String) {
        #expect(base64(Array(plain.utf8)) == text)
        #expect(bytes(base64: text) == Array(plain.utf8))
    }

    @Test("every byte comes back")
    func all() {
        let all = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for count in 0..<1000 {
            #expect(bytes(base64: base64(Array(all[..<count]))) == Array(all[..<count]))
        }
    }

    @Test(
        "what is not written so is refused",
        arguments: [
            "Z", "Zg", "Zg=", "Zh==", "Zg==Zg==", "Z===", "====", "Zm9\n", "Zm9v ", "Zü9v", "Zm-_",
        ])
    func malformed(text: String) { #expect(bytes(base64: text) == nil) }
}
