import MAMModel
import MAMPolicy
import Testing

@Suite struct AppConfigurationTests {
    /// Values that are delivered, the default's last; then any, or, and.
    @Test(
        arguments: [
            ([], nil, [], nil, nil, nil), (["true"], nil, [true], true, true, true),
            (["no", "YES"], nil, [false, true], false, true, false),
            (["0", "0"], nil, [false, false], false, false, false),
            ([], "1", [true], true, true, true), (["false"], "true", [false], false, false, false),
            (["maybe", "True"], nil, [true], true, true, true),
            (["maybe"], "true", [], nil, nil, nil),
        ] as [([String], String?, [Bool], Bool?, Bool?, Bool?)])
    func `truth values are any, one or all of those delivered`(
        _ targeted: [String], _ standard: String?, _ all: [Bool], _ any: Bool?, _ or: Bool?,
        _ and: Bool?
    ) throws {
        let found = try configuration(targeted, standard)
        #expect(found.truths("k") == all)
        #expect(found.truth("k", .any) == any)
        #expect(found.truth("k", .or) == or)
        #expect(found.truth("k", .and) == and)
    }

    @Test(
        arguments: [
            ([], nil, [], nil, nil, nil), (["10", "9.5"], "1", [10, 9.5], 10, 9.5, 10),
            ([], "-1e3", [-1000], -1000, -1000, -1000),
            (["0x10", "nan", "inf", "1e999", "", "7 "], nil, [], nil, nil, nil),
        ] as [([String], String?, [Double], Double?, Double?, Double?)])
    func `numbers are any, the least or the greatest of those delivered`(
        _ targeted: [String], _ standard: String?, _ all: [Double], _ any: Double?, _ min: Double?,
        _ max: Double?
    ) throws {
        let found = try configuration(targeted, standard)
        #expect(found.numbers("k") == all)
        #expect(found.number("k", .any) == any)
        #expect(found.number("k", .min) == min)
        #expect(found.number("k", .max) == max)
    }

    /// A conflict is one between targeted values only.
    @Test(
        arguments: [
            ([], nil, false), ([], "a", false), (["a"], "b", false), (["a", "a"], "b", false),
            (["a", "b"], nil, true), (["b", "a"], "a", true),
        ] as [([String], String?, Bool)])
    func `texts conflict if targeted ones differ`(
        _ targeted: [String], _ standard: String?, _ hasConflict: Bool
    ) throws {
        let found = try configuration(targeted, standard)
        #expect(found.hasConflict("k") == hasConflict)
        let values = targeted.isEmpty ? [standard].compactMap(\.self) : targeted
        #expect(found.texts("k") == values)
        #expect(found.text("k", .any) == values.first)
        #expect(found.text("k", .min) == values.min())
        #expect(found.text("k", .max) == values.max())
        #expect(found.texts("other").isEmpty && found.text("other", .any) == nil)
    }

    @Test func `everything is told as it was delivered, the default marked`() throws {
        let found = try configuration(["a", "b"], "c")
        #expect(found.fullData == [["k": "a"], ["k": "b"], ["k": "c", "__IsDefault": true]])
        #expect(found.keys == ["k"])
        #expect(AppConfiguration.empty.fullData == [])
    }

    @Test func `the default protection may carry the default configuration`() throws {
        let text = ##"""
            {"@odata.type": "#microsoft.graph.defaultManagedAppProtection", "pinRequired": true,
             "customSettings": [{"name": "k", "value": "v"}]}
            """##
        let book = PolicyBook(documents: try PolicyDocument.decode(Array(text.utf8)))
        let found = book.configuration(for: try Identity(name: "ann@contoso.com"))
        #expect(found.fullData == [["k": "v", "__IsDefault": true]])
    }

    private func configuration(_ targeted: [String], _ standard: String?) throws -> AppConfiguration
    {
        var documents = targeted.map { document($0) }
        if let standard {
            var last = document(standard)
            last.isDefault = true
            documents.append(last)
        }
        return PolicyBook(documents: documents).configuration(
            for: try Identity(name: "ann@contoso.com"))
    }

    private func document(_ value: String) -> PolicyDocument {
        var document = PolicyDocument()
        document.kind = .configuration
        document.customSettings = [NamedValue(name: "k", value: value)]
        return document
    }
}
