import MAMDesktop
import MAMModel
import MAMSystem
import Testing

private func texts(_ words: [ByteString]?) -> [String]? { words?.map(\.shown) }

/// The words of an Exec value, and the command lines made of them.
struct CommandLineTests {
    @Test(
        arguments: [
            ("one two", ["one", "two"]),
            ("  one   two  ", ["one", "two"]),
            (#""a b" c"#, ["a b", "c"]),
            (#"sh -c "echo \\$HOME \\"x\\"""#, ["sh", "-c", #"echo $HOME "x""#]),
            (#"sh -c 'a "b"'"#, ["sh", "-c", #"a "b""#]),
            (#"one "" two"#, ["one", "", "two"]),
            (#"a"b c"d"#, ["ab cd"]),
        ])
    func splitsWords(_ value: String, _ expected: [String]) {
        #expect(texts(words(ofCommandLine: ByteString(value))) == expected)
    }

    @Test func refusesAQuoteWithoutEnd() {
        #expect(words(ofCommandLine: ByteString(#"one "two"#)) == nil)
    }

    @Test(
        arguments: ["plain", "", "with space", #"a"b"#, #"a\b"#, "$HOME `x`", "100%", "a'b", "~;&"])
    func aWordComesBack(_ text: String) {
        let word = ByteString(text).asCommandLineWord
        let back = words(ofCommandLine: word).map { commands(from: $0, values([])) }
        #expect(back?.first?.first == ByteString(text))
    }

    @Test(
        arguments: [
            ("p %F", [["p", "/a", "/b"]]),
            ("p %U x", [["p", "/a", "/b", "x"]]),
            ("p %f", [["p", "/a"], ["p", "/b"]]),
            ("p --file=%f", [["p", "--file=/a"], ["p", "--file=/b"]]),
            ("p", [["p", "/a"], ["p", "/b"]]),
            ("p %i %c %k %F", [["p", "--icon", "pic", "The Name", "/x.desktop", "/a", "/b"]]),
            ("p 50%% %m %F", [["p", "50%", "/a", "/b"]]),
        ])
    func expandsFieldCodes(_ value: String, _ expected: [[String]]) {
        let files = ["/a", "/b"].map { ByteString($0) }
        let found = words(ofCommandLine: ByteString(value)).map {
            commands(from: $0, values(files)).map { $0.map(\.shown) }
        }
        #expect(found == expected)
    }

    @Test func withoutFilesCodesVanish() {
        let words = ["p", "%U", "%f"].map { ByteString($0) }
        #expect(commands(from: words, values([])) == [[ByteString("p")]])
    }

    @Test func namesStayBytes() {
        let file = ByteString([0x2F, 0xFF, 0x20, 0x22])
        #expect(commands(from: [ByteString("p"), ByteString("%f")], values([file]))[0][1] == file)
    }

    private func values(_ files: [ByteString]) -> FieldValues {
        FieldValues(
            files: files, name: ByteString("The Name"), icon: ByteString("pic"),
            path: ByteString("/x.desktop"))
    }
}
