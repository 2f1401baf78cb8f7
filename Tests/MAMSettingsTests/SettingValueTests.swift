import FoundationEssentials
import MAMModel
import MAMPolicy
import MAMSettings
import Testing

/// Every key of the table in mamctl(1), with a value of each kind that it has no use for.
@Suite struct SettingValueTests {
    @Test func `a wrong value does what the manual says of its key`() throws {
        let rows = try settingRows()
        #expect(rows.count == 58)
        for (key, kind, outcome) in rows {
            for value in Self.wrongValues(of: kind) {
                try expect(outcome, of: value, for: key)
            }
        }
    }

    @Test(
        arguments: [
            ("SplashIconFile", [true, 7, [], [:]]),
            ("ADALCacheKeychainGroupOverride", [true, 7, [], [:]]),
            ("SupportsDarkMode", [1, "YES", []]),
            ("FinishLaunchingAtStartup", ["1"]),
            ("AccentColor", [true, "blue", "#12345", "#１２"]),
            ("SplashDuration", ["1.5", -1, true]), ("AppGroupIdentifiers", ["x", [1], [:]]),
            ("OpenInActionExtension", [7, [], [:]]),
        ] as [(String, [JSONValue])])
    func `a wrong value of a key that is only kept stays, with a warning`(
        _ key: String, _ values: [JSONValue]
    ) throws {
        for value in values { try expect("default", of: value, for: key) }
    }

    @Test(arguments: [true, false, "com.contoso.open"] as [JSONValue])
    func `the action extension is a switch or a name`(_ value: JSONValue) throws {
        let settings = try decode("OpenInActionExtension", value)
        #expect(settings.stored["OpenInActionExtension"] == value)
        #expect(settings.warnings.isEmpty)
    }

    @Test(arguments: ["any", "none", [443], [1, 65_535]] as [JSONValue])
    func `a network is a word or ports`(_ value: JSONValue) throws {
        let settings = try decode("ContainedNetwork", value)
        let isDefault = settings.json == .object([:])
        #expect(isDefault ? value == "none" : settings.json == ["ContainedNetwork": value])
    }

    @Test func `caches are named as directories below the sealed homes`() throws {
        let forms: [(JSONValue, [SealedHome.Cache])] = [
            ("contained", [.cache, .tmp]), ("contained/cache", [.cache]), ("contained/tmp", [.tmp]),
        ]
        for (value, caches) in forms {
            let settings = try decode("DocumentBrowserFileCachePath", value)
            #expect(settings.clearedCaches == caches && settings.warnings.isEmpty)
            #expect(settings.json == Self.object("DocumentBrowserFileCachePath", value))
        }
        for path in ["contained/", "contained/config", "contained/../x", "Library/Caches", ""] {
            try expect("default", of: .string(path), for: "DocumentBrowserFileCachePath")
        }
    }

    private func expect(_ outcome: String, of value: JSONValue, for key: String) throws {
        let comment = Comment(rawValue: "\(key): \(value)")
        do throws(PolicyError) {
            let settings = try decode(key, value)
            #expect(outcome == "default", comment)
            guard settings.warnings.count == 1, let warning = settings.warnings.first else {
                Issue.record(comment)
                return
            }
            #expect(warning.key == key && "\(warning)".contains("using the default"), comment)
            // Nothing else has changed, and nothing is lost.
            var plain = settings
            (plain.warnings, plain.unknown) = ([], [:])
            #expect(plain == Settings(), comment)
            #expect(settings.json == Self.object(key, value), comment)
        } catch {
            #expect(outcome == "refused", comment)
            guard case .value(let named, _) = error else {
                Issue.record(comment)
                return
            }
            #expect(named == key, comment)
        }
    }

    private func decode(_ key: String, _ value: JSONValue) throws(PolicyError) -> Settings {
        try Settings.decode(Self.object(key, value).encoded())
    }

    private static func object(_ key: String, _ value: JSONValue) -> JSONValue {
        let parts = key.split(separator: ".").map(String.init)
        return parts.reversed().reduce(value) { .object([$1: $0]) }
    }

    /// By the word of the table's second column.
    private static func wrongValues(of kind: String) -> [JSONValue] {
        switch kind {
        case "bool": [0, 1, "true", "YES", [], [:]]
        case "class": [true, 7, "A", "NSFileProtection", [], [:]]
        case "texts": [true, 7, "x", [1], [:]]
        case "absolute paths": [true, 7, "/bin/vi", ["vi"], [[]], [:]]
        case "`any`, `none`, ports":
            [true, 80, "80", "all", [], [0], [-1], [65_536], [.number(0.5)], ["80"], [80, 0], [:]]
        case "user": [true, 7, "1000", ["mamfleet"], [], [:]]
        case "text": [true, 7, "", "a b", [], ["x"], [:]]
        case "https address":
            [
                true, 7, "http://issuer.example", "https://", "https://u@issuer.example",
                "https://issuer.example?x", "https://issuer.example:0", "https://issuer.example:x",
                "https://login.microsoftonline.com/common", "https://login.microsoftonline.com/",
                "https://login.microsoftonline.com/contoso.com", [], [:],
            ]
        case "loopback address":
            [
                true, 7, "https://127.0.0.1", "http://issuer.example", "http://127.0.0.1.example",
                "http://localhost:65536", "msauth.com.contoso://auth", [], [:],
            ]
        case "object": [true, 7, "x", ["x"]]
        case "command", "command or level": [true, 7, "/bin/true", "worst", [], ["x"], [1], [:]]
        // A range, or one of a few words.
        default: [true, -1, .number(0.5), "7", 99_999_999_999, "then", [], [1], [:]]
        }
    }

    private func settingRows() throws -> [(key: String, kind: String, outcome: String)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = String(
            decoding: try Data(contentsOf: root.appending(path: "docs/man/mamctl.md")),
            as: UTF8.self)
        let table = page.split(separator: "\n")
            .drop { !$0.hasPrefix("| key | value | default | wrong ") }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        return table.flatMap { row -> [(key: String, kind: String, outcome: String)] in
            let cells = row.split(separator: "|").map { $0.filter { $0 != " " } }
            let kind = row.split(separator: "|")[1].drop { $0 == " " }
            let words = String(kind.prefix(kind.count - 1))
            return names(in: cells[0]).map { ($0, words, cells[3]) }
        }
    }

    /// "`Hooks.Wipe`,`.CheckIn`" are two keys of one group.
    private func names(in cell: String) -> [String] {
        let names = cell.split(separator: ",").map { $0.filter { $0 != "`" } }
        let group = names[0].split(separator: ".").first ?? ""
        return names.map { $0.hasPrefix(".") ? group + $0 : $0 }
    }
}
