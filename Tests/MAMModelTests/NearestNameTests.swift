import MAMModel
import Testing

@Suite struct NearestNameTests {
    /// Accounts of colleagues, and what somebody wrote: a likely slip, or another person.
    @Test(
        arguments: [
            ("ann@contso.com", "ann@contoso.com"), ("ann@contoso.con", "ann@contoso.com"),
            ("an@contoso.com", "ann@contoso.com"), ("anm@contoso.com", "ann@contoso.com"),
            ("nan@contoso.com", "ann@contoso.com"), ("ANN@Contoso.Com", "ann@contoso.com"),
            ("anne@contoso.com", "ann@contoso.com"), ("ann", "ann@contoso.com"),
            ("bob@contoso.com", nil), ("zoe@contoso.com", nil), ("a@contoso.com", nil),
            ("annabel@contoso.com", nil), ("ann@fabrikam.com", nil), ("ann@contoso.de", nil),
            ("@contoso.com", nil), ("", nil), ("bob", nil),
            ("maria.garcia@contoso.com", "maria.garcia@contoso.com"),
            ("mariagarcia@contoso.com", "maria.garcia@contoso.com"),
            ("maria.gracai@contoso.com", "maria.garcia@contoso.com"),
            ("maria.garza@contoso.com", "maria.garcia@contoso.com"),
            ("mario.lopez@contoso.com", nil), ("marta.ruiz@contoso.com", nil),
        ] as [(String, String?)])
    func `a slip in the name of an account`(_ word: String, _ expected: String?) {
        let names = ["ann@contoso.com", "maria.garcia@contoso.com"]
        #expect(nearest(to: word, in: names) == expected)
    }

    @Test(
        arguments: [
            ("regster", "register"), ("lst", "list"), ("lits", "list"), ("x", nil), ("li", nil),
            ("xyzzy", nil), ("reg", nil),
        ] as [(String, String?)])
    func `a slip in a word`(_ word: String, _ expected: String?) {
        #expect(nearest(to: word, in: ["register", "list"]) == expected)
    }
}
