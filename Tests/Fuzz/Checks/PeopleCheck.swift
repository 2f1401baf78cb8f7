// What an LDAP server may make ldapsearch print, and people.json: docs/FLEET.md.

import MAMModel
import MAMOffice

func checkPeople(_ bytes: [UInt8]) throws(Violation) {
    _ = try? PeopleSettings(parsing: bytes)
    guard let entries = try? DirectoryEntry.all(in: bytes),
        let people = try? DirectoryPeople(entries, attribute: "mail"),
        let groups = try? DirectoryGroups(entries, attribute: "member", more: { _, _ in nil })
    else { return }
    // Each may be in all others.
    for entry in entries.prefix(20) {
        guard let found = try? groups.members(of: "lab", dn: entry.dn, among: people) else {
            continue
        }
        try expect(
            Set(found.names.map(\.caseFolded)).count == found.names.count, "one name twice")
        for name in found.names {
            let account = try? Identity(name: name)
            try expect(account != nil && name.isName && name.onOneLine == name, "no name: \(name)")
        }
    }
}
