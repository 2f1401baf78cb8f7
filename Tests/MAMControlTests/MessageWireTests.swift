// Messages on the socket.

import MAMModel
import MAMSystem
import Testing

@testable import MAMWire

@Suite struct MessageWireTests {
    static let messages: [Message] = [
        "plain", "", "100% of \("it")", .verbatim("a/b"), "failed: \(Errno.accessDenied)",
        "(\("inside \(1)" as Message))", "one \(1)" + ", two \(2)",
        Message(1, noun: "file"), Message(1204, noun: "file"),
        Message(2, one: "\(2) is left", many: "\(2) are left"),
    ]

    @Test(arguments: messages)
    func `a message survives the wire`(message: Message) {
        let read = Message(message.wire, else: "other")
        #expect(read == message)
        #expect(read.english == message.english)
    }

    @Test func `a daemon without words has its reason`() {
        #expect(Message(nil, else: "why: \u{1B}[2J").english == #"why: \033[2J"#)
    }

    @Test func `it is in prefix order`() {
        let message: Message = "\("plan") is \("locked" as Message)"
        #expect(message.wire == ["%%s is %s", "=plan", "%locked"])
    }

    /// Clients print it.
    @Test func `no value controls a terminal`() {
        let message: Message = "\("a\u{1B}[2J") is open"
        #expect(Message(message.wire, else: "").english == #"a\033[2J is open"#)
    }

    static let foreign: [[String]] = [
        [], ["text"], [""], ["="], ["%%s"], ["%%s", "=a", "=b"], ["%%s", "!x"], ["%%s", "#"],
        ["+2", "%a"], ["+-1"], ["+9223372036854775807"], ["?1", "%a"], ["?1", "=a", "%b"],
        ["?", "%a"],
        ["%%s", "!4294967296"], Array(repeating: "%%s", count: 100_000),
    ]

    @Test(arguments: foreign)
    func `what no daemon writes is not taken`(words: [String]) {
        #expect(Message(words, else: "why").english == "why")
    }
}
