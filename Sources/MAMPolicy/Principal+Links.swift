// Opens a URL in another program.

package import MAMModel

/// Whether a URL may be opened, and the URL to open instead.
package struct LinkAnswer: Sendable, Equatable {
    package let decision: Decision
    /// The URL to open: the requested one, or one for the program that policy names. Nil if none
    /// may be opened.
    package let opens: String?
}

/// Inputs other than the URL.
package struct LinkInputs: Sendable {
    /// The asking program knows that a managed program handles the scheme.
    package var isKnownManagedScheme: Bool
    /// The schemes of managed programs in the settings.
    package var managedSchemes: [String]

    package init(isKnownManagedScheme: Bool = false, managedSchemes: [String] = []) {
        self.isKnownManagedScheme = isKnownManagedScheme
        self.managedSchemes = managedSchemes
    }
}

extension Principal {
    /// `isURLAllowed`. Decides only whether policy blocks the URL, not whether a program for it
    /// exists.
    package func canOpenURL(_ text: String, _ inputs: LinkInputs = LinkInputs()) -> LinkAnswer {
        guard isManaged else { return .open(text, freedom.reason) }
        guard let url = URLText(text) else {
            return policy.sendsToAll
                ? .open(text, "\(identity) may send to all programs", by: Rule.outbound)
                : .refuse("it is not a URL with a scheme", by: Rule.outbound)
        }
        if url.scheme == "http" || url.scheme == "https" { return webLink(url, text) }
        if policy.sendsToAll {
            return .open(text, "\(identity) may send to all programs", by: Rule.outbound)
        }
        return phoneLink(url, text, inputs) ?? exemptedLink(url, text)
            ?? managedLink(url, text, inputs)
            ?? .refuse(
                "\(identity) does not send to programs for \(url.scheme):", by: Rule.outbound)
    }

    /// `isUniversalLinkAllowed`.
    package func canOpenUniversalLink(
        _ text: String, _ inputs: LinkInputs = LinkInputs()
    ) -> LinkAnswer {
        guard isManaged, let url = URLText(text) else { return canOpenURL(text, inputs) }
        if rules.exemptedUniversalLinks?.contains(where: url.matches) == true {
            return .open(text, "the link is exempted", by: "exemptedUniversalLinks")
        }
        if policy.outbound != .noApps,
            rules.managedUniversalLinks?.contains(where: url.matches) == true
        {
            return .open(text, "the link leads to a managed program", by: "managedUniversalLinks")
        }
        return canOpenURL(text, inputs)
    }

    private func webLink(_ url: URLText, _ text: String) -> LinkAnswer {
        let rule = "managedBrowserToOpenLinksRequired"
        guard rules.managedBrowserToOpenLinksRequired == true else {
            return .open(text, "web pages may be opened in any browser", by: rule)
        }
        guard let browser = browserSchemes else {
            return .refuse(
                "customBrowserProtocol is not a scheme, so no browser is allowed",
                by: "customBrowserProtocol")
        }
        let scheme = url.scheme == "http" ? browser.http : browser.https
        return .open(url.with(scheme: scheme), "web pages open in the managed browser", by: rule)
    }

    /// The schemes for `http` and `https` of the browser that policy names: Edge unless it names
    /// another. Nil for an invalid scheme.
    private var browserSchemes: (http: String, https: String)? {
        guard let custom = rules.customBrowserProtocol, !custom.isEmpty else {
            return Self.edge
        }
        return Self.schemeName(custom).map { ($0, $0 + "s") }
    }

    static let edge = (http: "microsoft-edge-http", https: "microsoft-edge-https")

    /// Calls and messages have their own rules, which may be stricter or looser than those for
    /// programs.
    private func phoneLink(_ url: URLText, _ text: String, _ inputs: LinkInputs) -> LinkAnswer? {
        switch url.scheme {
        case "tel", "telprompt":
            redirect(
                rules.dialerRestrictionLevel ?? .allApps, to: rules.customDialerAppProtocol,
                by: "dialerRestrictionLevel", url, text, inputs)
        case "sms":
            redirect(
                rules.protectedMessagingRedirectAppType?.asRedirect ?? .allApps,
                to: rules.messagingRedirectAppUrlScheme,
                by: "protectedMessagingRedirectAppType", url, text, inputs)
        default: nil
        }
    }

    private func redirect(
        _ level: PhoneNumberRedirect, to program: String?, by rule: String, _ url: URLText,
        _ text: String, _ inputs: LinkInputs
    ) -> LinkAnswer {
        switch level {
        case .allApps: .open(text, "\(url.scheme): may be opened in any program", by: rule)
        case .managedApps:
            managedForm(url, text, inputs).map {
                .open($0, "a managed program opens \(url.scheme):", by: rule)
            } ?? .refuse("only managed programs may open \(url.scheme):", by: rule)
        case .customApp:
            program.flatMap(Self.schemeName).map {
                .open(
                    url.with(scheme: $0), "\(url.scheme): opens in the program that policy names",
                    by: rule)
            } ?? .refuse("policy names no program for \(url.scheme):", by: rule)
        case .blocked: .refuse("\(url.scheme): is blocked", by: rule)
        }
    }

    private func exemptedLink(_ url: URLText, _ text: String) -> LinkAnswer? {
        let listed = (rules.exemptedAppProtocols ?? Self.exemptedByDefault).flatMap {
            $0.value.split(separator: ";").map { $0.lowercased() }
        }
        guard listed.contains(url.scheme) else { return nil }
        return .open(text, "\(url.scheme): is exempted", by: "exemptedAppProtocols")
    }

    /// The admin centre's defaults.
    static let exemptedByDefault = [
        "skype", "app-settings", "calshow", "itms", "itmss", "itms-apps", "itms-appss",
        "itms-services",
    ].map { NamedValue(name: "Default", value: $0) }

    private func managedLink(_ url: URLText, _ text: String, _ inputs: LinkInputs) -> LinkAnswer? {
        let browser = rules.managedBrowserToOpenLinksRequired == true ? browserSchemes : nil
        if let browser, [browser.http, browser.https].contains(url.scheme) {
            return .open(
                text, "it is the managed browser", by: "managedBrowserToOpenLinksRequired")
        }
        guard policy.outbound == .managedApps, let opens = managedForm(url, text, inputs) else {
            return nil
        }
        return .open(opens, "a managed program opens \(url.scheme):", by: Rule.outbound)
    }

    /// The URL in a form that only a managed program opens: under the scheme's managed twin if
    /// known, else unchanged. Nil if no managed program is known.
    private func managedForm(_ url: URLText, _ text: String, _ inputs: LinkInputs) -> String? {
        let suffix = Self.twinSuffix
        if inputs.names(url.scheme + suffix) { return url.with(scheme: url.scheme + suffix) }
        let isTwin = url.scheme.hasSuffix(suffix)
        let isKnown =
            inputs.isKnownManagedScheme || inputs.names(url.scheme)
            || (isTwin && inputs.names(String(url.scheme.dropLast(suffix.count))))
        return isKnown ? text : nil
    }

    /// Managed programs also register each scheme with this suffix, which only they handle.
    private static let twinSuffix = "-intunemam"

    /// Administrators write `mybrowser`, `mybrowser:` or `mybrowser://`.
    static func schemeName(_ text: String) -> String? {
        URLText.scheme(text.prefix { $0 != ":" })
    }
}

extension LinkAnswer {
    fileprivate static func open(_ url: String, _ reason: Message, by rule: String? = nil) -> Self {
        LinkAnswer(decision: .yes(reason, by: rule), opens: url)
    }

    fileprivate static func refuse(_ reason: Message, by rule: String) -> Self {
        LinkAnswer(decision: .no(reason, by: rule), opens: nil)
    }
}

extension LinkInputs {
    fileprivate func names(_ scheme: String) -> Bool {
        managedSchemes.contains { $0.lowercased() == scheme }
    }
}

extension MessagingRedirect {
    fileprivate var asRedirect: PhoneNumberRedirect {
        switch self {
        case .anyApp: .allApps
        case .anyManagedApp: .managedApps
        case .specificApps: .customApp
        case .blocked: .blocked
        }
    }
}
