import Glibc
import MAMEnrollment
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

/// Every look-up by a name agrees on which names are one.
@Suite struct NameFoldTests {
    struct Row: Sendable {
        let stored: String
        let asked: String
        let isOne: Bool
    }

    static let rows = [
        Row(stored: "ann@contoso.com", asked: "ANN@Contoso.com", isOne: true),
        Row(stored: "strauß@x.de", asked: "STRAUSS@X.DE", isOne: true),
        Row(stored: "STRAUSS@x.de", asked: "strauß@x.de", isOne: true),
        Row(stored: "νίκος@x.gr", asked: "ΝΊΚΟΣ@x.gr", isOne: true),
        Row(stored: "ΝΊΚΟΣ@x.gr", asked: "νίκοσ@x.gr", isOne: true),
        Row(stored: "adm\u{131}n@x.de", asked: "admin@x.de", isOne: false),
        Row(stored: "ann@contoso.com", asked: "anna@contoso.com", isOne: false),
    ]

    @Test(arguments: rows)
    func `names and identities`(row: Row) throws {
        #expect(row.stored.isSameFolded(row.asked) == row.isOne)
        #expect((row.stored.caseFolded == row.asked.caseFolded) == row.isOne)
        #expect(try Identity(name: row.stored).matches(row.asked) == row.isOne)
    }

    @Test(arguments: rows)
    func `accounts that have left`(row: Row) {
        let names = DepartedNames(in: nil, [], .silent)
        #expect(names.note([row.stored]))
        #expect(names.contains(row.asked) == row.isOne)
        names.keep(only: [row.asked])
        #expect(names.contains(row.stored) == row.isOne)
    }

    @Test(arguments: rows)
    func `accounts that had left before the last start`(row: Row) throws {
        let place = try TemporaryDirectory()
        let state = try place.open()
        let store = try withExtendedLifetime(state) { try EnrollmentStore(in: state.raw) }
        #expect(DepartedNames(in: store, [], .silent).note([row.stored]))
        #expect(DepartedNames(in: store, [], .silent).contains(row.asked) == row.isOne)
    }

    @Test(arguments: rows)
    func `members of groups, and groups`(row: Row) throws {
        let (asked, stored) = (try Identity(name: row.asked), try Identity(name: row.stored))
        let documents = try documents(forGroup: row.asked)
        let books = [
            PolicyBook(documents: try self.documents(forGroup: "g"), groups: ["g": [row.stored]]),
            PolicyBook(
                documents: try self.documents(forGroup: "g"),
                proven: [ProvenGroups(of: stored, ["g"]), ProvenGroups(of: asked, [])]),
            PolicyBook(
                documents: documents, groups: [row.stored: [row.asked], row.asked: []]),
            PolicyBook(documents: documents, proven: [ProvenGroups(of: asked, [row.stored])]),
        ]
        for book in books { #expect(book.covers(asked) == row.isOne) }
        // An unknown group leaves nobody out.
        let rest = PolicyBook(
            documents: try self.documents(forGroup: row.asked, "exclusionGroup"),
            groups: [row.stored: [row.asked]])
        #expect(rest.covers(asked) == !row.isOne)
    }

    private func documents(
        forGroup group: String, _ type: String = "group"
    ) throws -> [PolicyDocument] {
        let target: JSONValue = [
            "@odata.type": .string("#microsoft.graph.\(type)AssignmentTarget"),
            "groupId": .string(group),
        ]
        let assignments: JSONValue = [["target": target]]
        return try PolicyDocument.decode(
            JSONValue.object(["assignments": assignments, "pinRequired": true]).encoded())
    }

    @Test(.enabled(if: geteuid() == 0, "a user's own daemon binds no names"), arguments: rows)
    func `names that the settings give to users`(row: Row) throws {
        let test = try TestVault()
        var settings = Settings()
        settings.allowedAccounts = [row.stored]
        settings.accountUsers = [row.stored: [.uid(4711)]]
        _ = NameRights(test.vault).replaceAccountRules(settings.accountRules)
        let asked = try Identity(name: row.asked)
        #expect((NameRights(test.vault).right(of: 4711, to: asked) == .given) == row.isOne)
        #expect(NameRights(test.vault).isAllowed(asked) == row.isOne)
    }
}
