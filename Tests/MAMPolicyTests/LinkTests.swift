import MAMModel
import MAMPolicy
import Testing

@Suite struct LinkTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let url: String
        /// Nil for a refusal.
        let opens: String?
        let rule: String?

        var testDescription: String { String(url.prefix(60)) }

        /// Opened as it is.
        static func same(_ url: String, _ rule: String?) -> Row {
            Row(url: url, opens: url, rule: rule)
        }

        static func no(_ url: String, _ rule: String = outbound) -> Row {
            Row(url: url, opens: nil, rule: rule)
        }

        static func other(_ url: String, _ opens: String, _ rule: String) -> Row {
            Row(url: url, opens: opens, rule: rule)
        }
    }

    static let outbound = "allowedOutboundDataTransferDestinations"
    static let browser = "managedBrowserToOpenLinksRequired"
    static let dialer = "dialerRestrictionLevel"
    static let messages = "protectedMessagingRedirectAppType"
    static let exempt = "exemptedAppProtocols"
    static let inputs = LinkInputs(managedSchemes: ["Word", "excel-intunemam"])

    static let managedApps: [Row] = [
        .no("mailto:ann@contoso.com"), .no("file:///etc/passwd"), .no("javascript:alert(1)"),
        .no("wordy:x"), .no("x-word:x"), .no("-intunemam:x"), .no("powerpoint-intunemam:x"),
        .same("word:open?x=1", outbound), .same("WORD:Open", outbound),
        .same("word-intunemam:x", outbound),
        .other("excel:Sheet#A", "excel-intunemam:Sheet#A", outbound),
        .same("excel-intunemam:x", outbound),
        .same("skype:bob", exempt), .same("app-settings:", exempt), .same("ITMS-apps://x", exempt),
        .same("calshow:1", exempt),
        .same("http://x.example", browser), .same("HTTPS://x.example/a?b#c", browser),
        .same("tel:1", dialer), .same("telprompt:1", dialer), .same("sms:1", messages),
        // Not URLs.
        .no(""), .no(":"), .no("word"), .no(":word"), .no("1word:x"), .no(" word:x"),
        .no("wörd:x"), .no("wo rd:x"), .no("word:a b"), .no("word:\u{0}"), .no("word:\n"),
        .no("//x.example/"), .no("\u{FEFF}word:x"),
        .no(String(repeating: "a", count: 65537) + ":x"),
        .no("word:" + String(repeating: "a", count: 65532)),
        .same("word:" + String(repeating: "a", count: 65531), outbound),
        .same("word:ä🙂", outbound), .same("word:", outbound),
    ]

    @Test(arguments: managedApps)
    func `under managed programs only`(_ row: Row) throws {
        check(row, try ann { $0.allowedOutboundDataTransferDestinations = .managedApps })
    }

    @Test(
        arguments: [
            .no("word:x"), .no("excel:x"), .no("excel-intunemam:x"), .same("skype:bob", exempt),
            .same("http://x.example", browser), .same("tel:1", dialer), .same("sms:1", messages),
        ] as [Row])
    func `under none`(_ row: Row) throws {
        check(row, try ann { $0.allowedOutboundDataTransferDestinations = .noApps })
    }

    @Test(
        arguments: [
            .same("anything:x", outbound), .same("no scheme", outbound), .same("", outbound),
            .same("tel:1", outbound), .other("http://x", "microsoft-edge-http://x", browser),
        ] as [Row])
    func `under all programs only web pages are led`(_ row: Row) throws {
        let owner = try ann {
            $0.dialerRestrictionLevel = .blocked
            $0.managedBrowserToOpenLinksRequired = true
        }
        check(row, owner)
        #expect(try carol().canOpenURL(row.url).opens == row.url)
    }

    @Test(arguments: [
        (ManagedBrowser?.none, String?.none, "microsoft-edge-http", "microsoft-edge-https"),
        (.microsoftEdge, "", "microsoft-edge-http", "microsoft-edge-https"),
        (.notConfigured, "mybrowser", "mybrowser", "mybrowsers"),
        (nil, "MyBrowser://", "mybrowser", "mybrowsers"),
    ])
    func `the managed browser's schemes`(
        _ kind: ManagedBrowser?, _ custom: String?, _ http: String, _ https: String
    ) throws {
        for level in [DataTransfers.managedApps, .noApps] {
            let owner = try ann {
                $0.allowedOutboundDataTransferDestinations = level
                $0.managedBrowserToOpenLinksRequired = true
                $0.managedBrowser = kind
                $0.customBrowserProtocol = custom
            }
            check(.other("http://x/?a#b", http + "://x/?a#b", Self.browser), owner)
            check(.other("Https://x:8443/", https + "://x:8443/", Self.browser), owner)
            check(.same(https + "://x", Self.browser), owner)
        }
    }

    @Test func `a browser that cannot be named is none`() throws {
        let owner = try ann {
            $0.managedBrowserToOpenLinksRequired = true
            $0.customBrowserProtocol = "my browser"
        }
        check(.no("http://x", "customBrowserProtocol"), owner)
    }

    /// What opens `tel:1`: where policy names the program `dial`, where none, and where `tel` is a
    /// managed scheme.
    @Test(
        arguments: [
            (.allApps, "tel:1", "tel:1"), (.managedApps, nil, nil), (.customApp, "dial:1", nil),
            (.blocked, nil, nil),
        ] as [(PhoneNumberRedirect, String?, String?)])
    func `calls go where the policy for them says, exempted or not`(
        _ level: PhoneNumberRedirect, _ named: String?, _ unnamed: String?
    ) throws {
        for (program, expected) in [("dial", named), (nil, unnamed)] {
            let owner = try ann {
                $0.allowedOutboundDataTransferDestinations = .managedApps
                $0.dialerRestrictionLevel = level
                $0.customDialerAppProtocol = program
                $0.exemptedAppProtocols = [NamedValue(name: "Default", value: "tel;telprompt")]
            }
            let found = owner.canOpenURL("tel:1")
            #expect(found.opens == expected)
            #expect(found.decision.rule == Self.dialer)
            let known = owner.canOpenURL("tel:1", LinkInputs(isKnownManagedScheme: true))
            #expect(known.decision.isAllowed == (expected != nil || level == .managedApps))
            let twin = owner.canOpenURL("tel:1", LinkInputs(managedSchemes: ["tel-intunemam"]))
            #expect(twin.opens == (level == .managedApps ? "tel-intunemam:1" : expected))
        }
    }

    @Test(
        arguments: [
            (.anyApp, "sms:1"), (.anyManagedApp, nil), (.specificApps, "teams:1"), (.blocked, nil),
        ] as [(MessagingRedirect, String?)])
    func `messages go where the policy for them says`(
        _ level: MessagingRedirect, _ expected: String?
    ) throws {
        let owner = try ann {
            $0.allowedOutboundDataTransferDestinations = .noApps
            $0.protectedMessagingRedirectAppType = level
            $0.messagingRedirectAppUrlScheme = "teams"
        }
        #expect(owner.canOpenURL("sms:1").opens == expected)
    }

    @Test func `a configured list of exemptions is the whole list`() throws {
        let owner = try ann {
            $0.allowedOutboundDataTransferDestinations = .managedApps
            $0.exemptedAppProtocols = [
                NamedValue(name: "Default", value: "Foo;bar;;"), NamedValue(name: "x", value: ""),
            ]
        }
        check(.same("foo:1", Self.exempt), owner)
        check(.same("BAR:1", Self.exempt), owner)
        check(.no("skype:bob"), owner)
    }

    @Test func `what the asking program knows counts for managed programs only`() throws {
        let known = LinkInputs(isKnownManagedScheme: true)
        for (level, expected) in [(DataTransfers.managedApps, true), (.noApps, false)] {
            let owner = try ann { $0.allowedOutboundDataTransferDestinations = level }
            #expect(owner.canOpenURL("foo:1", known).decision.isAllowed == expected)
            #expect(!owner.canOpenURL("no scheme", known).decision.isAllowed)
            let longest = String(repeating: "a", count: 255)
            #expect(owner.canOpenURL(longest + ":x", known).decision.isAllowed == expected)
            #expect(!owner.canOpenURL(longest + "a:x", known).decision.isAllowed)
        }
    }

    private func check(_ row: Row, _ owner: Principal) {
        let found = owner.canOpenURL(row.url, Self.inputs)
        #expect(found.opens == row.opens)
        #expect(found.decision.isAllowed == (row.opens != nil))
        #expect(found.decision.rule == row.rule)
    }
}
