import MAMModel
import MAMSystem
import Testing

@testable import MAMWords

/// Without a catalogue. test_words.py reads German.
struct MessageTests {
    @Test func literalIsTheFormat() {
        let path = "a/b"
        let message: Message = "\(path) is empty, \(3) times"
        #expect(message.sentences.map(\.format) == ["%s is empty, %s times"])
        #expect(message.english == "a/b is empty, 3 times")
        #expect(message.translated == message.english)
    }

    @Test func percentSignsStay() {
        let text = "50%s"
        #expect(("100% of \(text)" as Message).english == "100% of 50%s")
        #expect(("100%" as Message).sentences[0].format == "100%%")
        #expect(Message.verbatim("%d").english == "%d")
        #expect(Message(known: "90 %").english == "90 %")
    }

    @Test func messagesNest() {
        let inner: Message = "inside \(1)"
        #expect(("(\(inner))" as Message).sentences[0].format == "(%s)")
        #expect(("(\(inner))" as Message).english == "(inside 1)")
    }

    @Test func sumIsOneSentence() {
        let long: Message = "one \(1)" + ", two \(2)"
        #expect(Sentence(joining: long.sentences).format == "one %s, two %s")
        #expect(long.english == "one 1, two 2")
    }

    @Test func countChooses() {
        func files(_ count: Int) -> Message {
            Message(count, one: "\(count) file is left", many: "\(count) files are left")
        }
        #expect(files(1).english == "1 file is left")
        #expect(files(0).english == "0 files are left")
        #expect(files(2).sentences[0].singular == "%s file is left")
        #expect(files(2).sentences[0].format == "%s files are left")
        #expect(Message(1, noun: "file").english == "1 file")
        #expect(Message(1204, noun: "file").english == "1,204 files")
    }

    @Test func translationsMayNumberValues() {
        let sentence = Sentence(format: "%s of %s", arguments: [.text("a"), .text("b")])
        #expect(sentence.filled("%2$s: %1$s, %2$s") { $0.english } == "b: a, b")
        #expect(sentence.filled("%s%%") { $0.english } == "a%")
    }

    /// What a translator got wrong is shown, and nothing is read that is not there.
    @Test func wrongTranslationsDoNoHarm() {
        let sentence = Sentence(format: "%s", arguments: [.text("a")])
        for text in ["%", "%d", "%0$s", "%$s", "100 % und mehr", "%99999999999999999999$s"] {
            #expect(sentence.filled(text) { $0.english } == text)
        }
        #expect(sentence.filled("%3$s%s%s") { $0.english } == "a")
    }

    @Test func recordsLeaveOutWhatIsNotOurs() {
        let inner: Message = "\("ann") and \("secret")"
        let message: Message = "\(inner), \(Message(grouping: 1000)): \("secret")"
        #expect(message.english { $0 == "ann" } == "ann and …, 1,000: …")
    }

    @Test func numbersAreGrouped() {
        let shown = [0, 999, 1000, 1_234_567, -1000].map { Message(grouping: $0).english }
        #expect(shown == ["0", "999", "1,000", "1,234,567", "-1,000"])
    }

    @Test func listsJoin() {
        #expect([Message]().joined(separator: ", ").isEmpty)
        #expect((["a", "b"] as [Message]).joined(separator: ", ").english == "a, b")
    }

    @Test func errorsAreInEnglishWithoutALanguage() {
        let error = Errno(rawValue: 2)
        #expect(("x: \(error)" as Message).translated == "x: No such file or directory")
    }
}
