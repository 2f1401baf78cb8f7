import MAMModel
import MAMSettings
import Testing

@Suite struct SignInSettingsTests {
    private func signIn(_ members: [String: JSONValue]) throws -> SignInSettings? {
        try Settings.decode(JSONValue.object(members).encoded()).signIn
    }

    private static let tenant = "01234567-89AB-cdef-0123-456789abcdef"

    @Test func `without an authority nobody signs in`() throws {
        #expect(try signIn([:]) == nil)
        #expect(try signIn(["ADALClientId": "c", "ADALRedirectUri": "http://localhost"]) == nil)
    }

    @Test(arguments: [
        ("https://issuer.example", "https://issuer.example"),
        ("https://issuer.example:8443/realms/work/", "https://issuer.example:8443/realms/work"),
        (
            "https://login.microsoftonline.com/\(Self.tenant)",
            "https://login.microsoftonline.com/\(Self.tenant)/v2.0"
        ),
        (
            "https://login.microsoftonline.us/\(Self.tenant)/v2.0/",
            "https://login.microsoftonline.us/\(Self.tenant)/v2.0"
        ),
    ]) func `an authority is an issuer`(_ authority: String, _ issuer: String) throws {
        let found = try signIn(["ADALAuthority": .string(authority), "ADALClientId": "c"])
        #expect(found?.issuer == issuer)
        #expect(found?.redirect == "http://127.0.0.1" && found?.allowsDeviceCode == false)
    }

    @Test func `overrides count, and a client is required`() throws {
        let found = try signIn([
            "ADALAuthority": "https://one.example",
            "aadAuthorityUriOverride": "https://two.example",
            "ADALClientId": "one", "aadClientIdOverride": "two",
            "ADALRedirectUri": "http://127.0.0.1:7000/one",
            "aadRedirectUriOverride": "http://localhost:7000/two", "SignInDeviceCode": true,
        ])
        #expect(found?.issuer == "https://two.example" && found?.clientID == "two")
        #expect(found?.redirect == "http://localhost:7000/two" && found?.allowsDeviceCode == true)
        #expect(throws: (any Error).self) { try signIn(["ADALAuthority": "https://one.example"]) }
        #expect(throws: (any Error).self) {
            try signIn(["ADALAuthority": "https://one.example", "ADALClientId": 7])
        }
    }
}
