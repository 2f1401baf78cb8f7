import MAMModel
import MAMOffice
import Testing

@Suite struct PolicyDifferenceTests {
    private func lines(_ former: String, _ new: String) -> [String] {
        differences(Array(former.utf8), Array(new.utf8)).map(\.text)
    }

    @Test func `an answer of Graph's differs as its policy does`() {
        let one = #"{"pinRequired": true, "version": "\"1\"", "apps": []}"#
        let other = #"{"pinRequired": false, "version": "\"2\"", "apps": []}"#
        let expected = ["pinRequired: true → false", #"version: "1" → "2""#]
        #expect(lines(one, other) == expected)
        #expect(lines(#"{"value": [\#(one)]}"#, #"{"value": [\#(other)]}"#) == expected)
        #expect(lines(one, #"{"@odata.context": "x", "value": \#(other)}"#) == expected)
        #expect(lines(one, #"{"value": [\#(one)]}"#) == [])
    }

    @Test func `members of members are named by their way`() {
        #expect(
            lines(#"{"a": 1, "b": {"c": [1]}, "d": 0}"#, #"{"a": 1, "b": {"c": [2]}, "e": "x"}"#)
                == ["b.c: [1] → [2]", "d: 0 → nothing", "e: nothing → x"])
    }

    @Test func `a list of objects differs by those that are new or gone`() {
        let base = #""pinRequired": true, "exemptedAppProtocols""#
        let (one, other) = (#"{"name":"a","value":"b"}"#, #"{"name":"c","value":"d"}"#)
        #expect(
            lines("{\(base): [\(one), \(one)]}", "{\(base): [\(other), \(one)]}") == [
                "exemptedAppProtocols: \(one) → nothing",
                "exemptedAppProtocols: nothing → \(other)",
            ])
        #expect(
            lines("{\(base): []}", #"{"pinRequired": true}"#)
                == ["exemptedAppProtocols: [] → nothing"])
    }

    @Test func `null, a missing member and an empty text`() {
        let base = #"{"pinRequired": true"#
        #expect(lines("\(base)}", #"\#(base), "customBrowserProtocol": null}"#) == [])
        #expect(
            lines("\(base)}", #"\#(base), "customBrowserProtocol": ""}"#)
                == [#"customBrowserProtocol: nothing → """#])
        #expect(
            lines("", #"{"managedUniversalLinks": ["a", "b"]}"#)
                == ["managedUniversalLinks: nothing → [a, b]"])
    }

    @Test func `several policies are compared by their ids`() {
        let first = #"{"id": "1", "pinRequired": true}"#
        let second = #"{"id": "2", "pinRequired": true}"#
        let changed = #"{"id": "2", "pinRequired": false}"#
        #expect(
            lines("[\(first), \(second)]", "[\(changed), \(first)]")
                == ["2.pinRequired: true → false"])
    }
}
