import MAMFleet
import MAMModel
import Testing

@Suite struct BundleTests {
    let contoso = Organization()

    @Test func `each document of a bundle is itself`() throws {
        let all = [contoso.policy(), contoso.policy(name: "two.json"), try contoso.root()]
        let bundle = JSONValue.array(all.map(\.json) + [7, "x"])
        let found = try Bundle.documents(in: [0x0A, 0x20] + bundle.encoded(pretty: true))
        #expect(found.count == 5)
        #expect(try found.prefix(3).map { try Envelope(parsing: $0) } == all)
        for rest in found.dropFirst(3) {
            #expect(throws: Refusal.self) { try Envelope(parsing: rest) }
        }
        #expect(Bundle.isSigned(.array(all.map(\.json))))
        #expect(!Bundle.isSigned(bundle) && !Bundle.isSigned([]))
    }

    @Test func `one document is a bundle of one, and left as it is`() throws {
        let bytes = contoso.policy().encoded()
        #expect(try Bundle.documents(in: bytes) == [bytes])
        #expect(try Bundle.documents(in: []) == [[]])
        #expect(try Bundle.documents(in: Array("[]".utf8)).isEmpty)
    }

    @Test(arguments: ["[", "[1", "[[[[", "[{]"])
    func `what is no JSON is refused`(_ text: String) {
        #expect(throws: Refusal.self) { try Bundle.documents(in: Array(text.utf8)) }
    }

    @Test func `it has a size and a number`() {
        let many =
            "["
            + Array(repeating: "1", count: Bundle.maximumCount + 1)
            .joined(separator: ",") + "]"
        #expect(throws: Refusal.self) { try Bundle.documents(in: Array(many.utf8)) }
        let long = "[" + String(repeating: " ", count: Bundle.maximumByteCount) + "]"
        #expect(throws: Refusal.self) { try Bundle.documents(in: Array(long.utf8)) }
    }

    @Test func `of orders only those that are done are told`() throws {
        var standing = try contoso.standing()
        let names = try (Int64(1)...3).map { days in
            let order = contoso.ownOrder(Order(.lock), days: days)
            _ = try standing.accept(order, at: Organization.start)
            return try order.statement().name
        }
        standing.finish(names[0])
        standing.finish(names[2])
        #expect(standing.nonces(atMost: 10) == [names[2], names[0]])
        #expect(standing.nonces(atMost: 1) == [names[2]])
    }
}
