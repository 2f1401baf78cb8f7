import MAMModel
import MAMPolicy
import TestSupport
import Testing

@Suite struct UniversalLinkTests {
    static let patterns = [
        "https://*.contoso.com/*", "http://mail.example/inbox*", "https://*.sharepoint.com",
        "https://fabrikam.*", "not a pattern", "", "*",
    ]

    /// True where a pattern means the link.
    @Test(arguments: [
        ("https://a.contoso.com/", true), ("https://a.contoso.com", true),
        ("HTTPS://A.Contoso.COM/Path?x#y", true), ("https://a.b.contoso.com/x", true),
        ("https://ann@a.contoso.com:8443/x", true), ("http://mail.example/inbox/1", true),
        ("https://x.sharepoint.com/", true), ("https://fabrikam.example/", true),
        ("http://a.contoso.com/", false), ("https://contoso.com/", false),
        ("https://evil.example/x.contoso.com/", false),
        ("https://evil.example?.contoso.com/", false),
        ("https://evil.example#.contoso.com/", false),
        ("https://evil.example\\.contoso.com/", false),
        ("https://a.contoso.com@evil.example/", false),
        ("https://a.contoso.com.evil.example/", false),
        ("https://fabrikam.com@evil.example/", false), ("https://a.contoso.com:80x/", false),
        ("http://mail.example/Inbox", false), ("https://x.sharepoint.com/site", false),
        ("https:a.contoso.com/", false), ("https://", false), ("", false),
    ])
    func `an asterisk stays within the host or the path`(_ link: String, _ expected: Bool) throws {
        let owner = try ann {
            $0.allowedOutboundDataTransferDestinations = .managedApps
            $0.exemptedUniversalLinks = Self.patterns
        }
        let found = owner.canOpenUniversalLink(link)
        #expect((found.decision.rule == "exemptedUniversalLinks") == expected)
    }

    /// The browser is required, so that what no list names is led there.
    @Test(arguments: [
        (DataTransfers.allApps, "https://managed.example/"),
        (.managedApps, "https://managed.example/"),
        (.noApps, "microsoft-edge-https://managed.example/"),
    ])
    func `managed links open unless nothing may be sent`(
        _ level: DataTransfers, _ opens: String
    ) throws {
        let owner = try ann {
            $0.allowedOutboundDataTransferDestinations = level
            $0.managedBrowserToOpenLinksRequired = true
            $0.managedUniversalLinks = ["https://managed.example/*"]
            $0.exemptedUniversalLinks = ["https://exempted.example/*"]
        }
        #expect(owner.canOpenUniversalLink("https://managed.example/").opens == opens)
        let exempted = "https://exempted.example/x"
        #expect(owner.canOpenUniversalLink(exempted).opens == exempted)
        let other = owner.canOpenUniversalLink("https://other.example/")
        #expect(other.opens == "microsoft-edge-https://other.example/")
        #expect(owner.canOpenURL(exempted).opens == "microsoft-edge-" + exempted)
    }

    @Test func `a hostile pattern and a huge link take no time`() throws {
        let owner = try ann {
            $0.exemptedUniversalLinks = [
                "https://x/" + String(repeating: "*a", count: 200) + "b"
            ]
        }
        let link = "https://x/" + String(repeating: "a", count: 60_000)
        #expect(processorSeconds { _ = owner.canOpenUniversalLink(link) } < 5)
    }

    @Test func `an unmanaged account opens everything`() throws {
        #expect(try carol().canOpenUniversalLink("no scheme").decision.isAllowed)
    }
}
