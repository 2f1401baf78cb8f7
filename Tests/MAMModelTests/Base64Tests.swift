import MAMModel
import Testing

@Suite struct Base64Tests {
    @Test(
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func `the vectors of RFC 4648, both ways`(plain: String, text: String) {
        #expect(base64(Array(plain.utf8)) == text)
        #expect(bytes(base64: text) == Array(plain.utf8))
    }

    @Test func `every byte comes back`() {
        let all = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for count in 0..<1000 {
            #expect(bytes(base64: base64(Array(all[..<count]))) == Array(all[..<count]))
        }
    }

    @Test(
        arguments: [
            "Z", "Zg", "Zg=", "Zh==", "Zg==Zg==", "Z===", "====", "Zm9\n", "Zm9v ", "Zü9v", "Zm-_",
        ])
    func `what is not written so is refused`(text: String) { #expect(bytes(base64: text) == nil) }
}
