// The content of memberships.

import MAMFleet
import MAMModel
import Testing

struct MembershipTests {
    @Test func `what is of accounts alone needs no groups`() throws {
        let text = #"{"members": {"lab": ["ann@contoso.com"]}}"#
        let membership = try Membership(parsing: Array(text.utf8))
        #expect(membership == Membership(members: ["lab": ["ann@contoso.com"]]))
        #expect(try Membership(parsing: membership.json.encoded()) == membership)
    }

    @Test(arguments: [
        #"{"groups": null, "members": {}}"#, #"{"groups": ["a b"], "members": {}}"#,
        #"{"groups": ["lab"]}"#, #"{"members": {}, "group": []}"#,
    ])
    func `what is not understood is refused`(_ text: String) {
        #expect(throws: Refusal.self) { try Membership(parsing: Array(text.utf8)) }
    }
}
