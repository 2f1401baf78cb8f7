import Glibc
import MAMFleet
import MAMModel
import MAMSystem
import TestSupport
import Testing

@testable import MAMEngine
@testable import MAMOffice

@Suite struct BundleTests {
    let organization: TestOrganization
    let machine = Bytes16(high: 1, low: 2)
    var directory: OrganizationDirectory { organization.directory }

    init() throws { organization = try TestOrganization() }

    private func bundles() throws -> [BundlePlace: Bundle] {
        try directory.bundles(at: TestOrganization.now)
    }

    @Test func `a bundle is read as it is written`() throws {
        let bundle = Bundle([organization.policy(), organization.policy("{ }", name: "b")])
        #expect(try Bundle(parsing: bundle.encoded()) == bundle)
        #expect(try Bundle(parsing: Bundle([]).encoded()) == Bundle([]))
        for text in ["", "{}", "[{}]", "[1]", "[[]]", "nonsense"] {
            #expect(throws: Refusal.self, "\(text)") {
                try Bundle(parsing: Array(text.utf8))
            }
        }
    }

    @Test func `a bundle is not larger than it may be`() throws {
        let large = organization.policy(String(repeating: " ", count: 700_000))
        _ = try Bundle([large, large, large]).encoded()
        #expect(throws: Refusal.self) {
            try Bundle(Array(repeating: large, count: 5)).encoded()
        }
        let bytes = Array(repeating: UInt8(ascii: " "), count: Bundle.maximumByteCount + 1)
        #expect(throws: Refusal.self) { try Bundle(parsing: bytes) }
    }

    @Test func `each document is in its audience's bundle`() throws {
        try organization.put("signed/a.json", organization.policy())
        try organization.put("signed/deep/b.json", organization.policy(for: .group("g.1")))
        try organization.put(
            "signed/c.json", organization.policy(for: .machine(machine), name: "c"))
        let found = try bundles()
        #expect(Set(found.keys) == [.roots, .all, .group("g.1"), .machine(machine)])
        #expect(found[.group("g.1")]?.envelopes.count == 1)
        #expect(BundlePlace.group("g.1").path == "g/g.1.json")
        #expect(BundlePlace.group("g.1").subject == "docs.g.g=1")
        #expect(BundlePlace.machine(machine).path == "m/\(machine).json")
    }

    @Test func `the newest of a slot counts, and two of one serial do not`() throws {
        try organization.put("signed/a.json", organization.policy(serial: 1))
        try organization.put("signed/b.json", organization.policy("{ }", serial: 2))
        #expect(try bundles()[.all]?.envelopes == [organization.policy("{ }", serial: 2)])
        try organization.put("signed/c.json", organization.policy("[]", serial: 2))
        #expect(throws: OrganizationDirectory.Failure.self) { try bundles() }
    }

    @Test func `what no machine accepts is refused by name`() throws {
        try organization.put("signed/bad.json", organization.policy(signers: 0))
        #expect {
            try bundles()
        } throws: {
            ($0 as? OrganizationDirectory.Failure)?.path.shown.hasSuffix("signed/bad.json") ?? false
        }
    }

    /// An order without its second signature waits; an expired one is over.
    @Test func `only orders that machines obey are sent`() throws {
        let wipe = Order(.wipe, account: Bytes16(high: 3, low: 3)).json.encoded()
        func order(_ nonce: UInt64, expires: Int64, signers: Int) -> Envelope {
            organization.envelope(
                .order, wipe, for: .machine(machine), name: "\(Bytes16(high: nonce, low: 0))",
                expires: expires, signers: signers)
        }
        let now = TestOrganization.now
        let good = order(1, expires: now + 60, signers: 2)
        try organization.put("orders/1.json", good)
        try organization.put("orders/2.json", order(2, expires: now + 60, signers: 1))
        #expect(try bundles()[.machine(machine)]?.envelopes == [good])
        #expect(try directory.bundles(at: now + 60)[.machine(machine)] == nil)
    }

    /// One key may sign it, and so use up the nonce of an order that takes several.
    @Test func `an order by another's nonce is not sent, and named until it has expired`() throws {
        let now = TestOrganization.now
        let lock = organization.envelope(
            .order, Order(.lock).json.encoded(), for: .machine(machine),
            name: "\(Bytes16(high: 1, low: 0))", expires: now + 60, signers: 2)
        try organization.put("orders/1.json", lock)
        for (time, isTold) in [(now, true), (now + 60, false)] {
            var told: [String] = []
            let bundles = try directory.bundles(at: time) { told.append($0.english) }
            #expect(bundles[.machine(machine)] == nil)
            #expect(told.map { $0.contains("orders/1.json") } == (isTold ? [true] : []))
        }
    }

    @Test func `secrets that others may read are not read`() throws {
        try directory.write("engine/a.nk", secret: secret("x"))
        #expect(revealed(try directory.readSecret("engine/a.nk", atMost: 10)) == "x")
        try directory.write("engine/b.nk", Array("x".utf8))
        #expect(chmod(directory.whole("engine/b.nk").cString, 0o644) == 0)
        #expect(throws: OrganizationDirectory.Failure.self) {
            try directory.readSecret("engine/b.nk", atMost: 10)
        }
        try directory.write("engine/c.nk", secret: secret("0123456789a"))
        #expect(throws: OrganizationDirectory.Failure.self) {
            try directory.readSecret("engine/c.nk", atMost: 10)
        }
    }
}
