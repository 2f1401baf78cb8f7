// Made once by Tests/Integration/issuer.py; the private keys are gone.

enum Vectors {
    /// When the tokens were issued.
    static let clock: Int64 = 1_800_000_000
    static let rsaKeys = [
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"2Y8UL6IMR0kX5G8LMLl2QNxMxGbaARj8IvwJypg6t8ba39DW",
        "DdSEZFtctplAhg9s46n5E3MJ30G-2XD2cUxqoFxauihzRES_0i_JdUDGu0IKjTXGEmjzGieE7o16axS9K6P0",
        "Ib348Dla7eGMbFDwxVkY74c5oHOmPlOvys2-Xal1j5Rq3x4-arWD1Igamj_24jDByKyKfUuzEXy9PvzkvhZe",
        "yLniDFmx3UEFyn1taf_01Hkz319JInkYJHQ6GMn8JH92OsoKZ9jY60mWKmxuVBMRnckHapvM2EHA9b5dJLC9",
        "vsH8lskxZZdnYrXh8oD_ex7enMnWUNIVDF7qShPI8Q\",\"e\":\"AQAB\",\"kid\":\"rsa-key\",\"us",
        "e\":\"sig\",\"alg\":\"RS256\"}]}",
    ].joined()
    static let curveKeys = [
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"OE68secEdnmJ5lFNms5yYc_DlLPc5C1",
        "9p_qHJ6Kp-To\",\"y\":\"2xmFeaTAXsdO1xSfgQRpxtQrFB4buLWhrpkXrDPm6eo\",\"kid\":\"curve",
        "-key\",\"use\":\"sig\",\"alg\":\"ES256\"}]}",
    ].joined()
    static let rsaToken = [
        "eyJhbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhLWtleSJ9.eyJpc3MiOiAiaHR0cHM",
        "6Ly9pc3N1ZXIuZXhhbXBsZS90ZW5hbnQiLCAiYXVkIjogImNsaWVudCIsICJzdWIiOiAidGhlIHN1YmplY3Q",
        "iLCAib2lkIjogIjExMTExMTExLTIyMjItMzMzMy00NDQ0LTU1NTU1NTU1NTU1NSIsICJ1cG4iOiAiYW5uQGN",
        "vbnRvc28uY29tIiwgInByZWZlcnJlZF91c2VybmFtZSI6ICJBbm5AQ29udG9zby5jb20iLCAibm9uY2UiOiA",
        "idGhlIG5vbmNlIiwgImlhdCI6IDE4MDAwMDAwMDAsICJuYmYiOiAxODAwMDAwMDAwLCAiZXhwIjogMTgwMDA",
        "wMzYwMCwgImdyb3VwcyI6IFsiZy0xIiwgImctMiJdfQ.j7xlffnTW1cUPsEzn63XMNq6noomom7QG8zIF_iP",
        "1EqYEgrixNVdvl974NZvPzdIGDrzOuh58kr-_CKvo-Kr1rcmxywSbImwBtwpye29lFtQ5spg7YkB4MtrMIo8",
        "RC9zX72ilG0UjkXmEVNQh7TdKUTKxN4tdOq0Jt_Uf6OaAtLq5T-X2GhWEOsUEzA_DjzrtiWMU_PfV8qt15KT",
        "_k1p439SDfqrg6OjYYPXTrw18UshU2ZdB-typ357xvh8wnE8wblnNfKarG3O8-ZrQfxHwkEcxjMlnBbez-yu",
        "cEp5Gs-OwMX5ddfhWqxunyn8oRgzuT1gVjDfF15C5hskXynneA",
    ].joined()
    static let curveToken = [
        "eyJhbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAiY3VydmUta2V5In0.eyJpc3MiOiAiaHR0",
        "cHM6Ly9pc3N1ZXIuZXhhbXBsZS90ZW5hbnQiLCAiYXVkIjogImNsaWVudCIsICJzdWIiOiAidGhlIHN1Ympl",
        "Y3QiLCAib2lkIjogIjExMTExMTExLTIyMjItMzMzMy00NDQ0LTU1NTU1NTU1NTU1NSIsICJ1cG4iOiAiYW5u",
        "QGNvbnRvc28uY29tIiwgInByZWZlcnJlZF91c2VybmFtZSI6ICJBbm5AQ29udG9zby5jb20iLCAibm9uY2Ui",
        "OiAidGhlIG5vbmNlIiwgImlhdCI6IDE4MDAwMDAwMDAsICJuYmYiOiAxODAwMDAwMDAwLCAiZXhwIjogMTgw",
        "MDAwMzYwMCwgImdyb3VwcyI6IFsiZy0xIiwgImctMiJdfQ.BmYF6-jmeg8R04i8DhNVNTSywOp5SUqhUO6ei",
        "09MMF7YysYSKG6_x1antf2n6MiXJIBQlZ0RG1a16X6k0dN42A",
    ].joined()
    static let twoAudiences = [
        "eyJhbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhLWtleSJ9.eyJpc3MiOiAiaHR0cHM",
        "6Ly9pc3N1ZXIuZXhhbXBsZS90ZW5hbnQiLCAiYXVkIjogWyJjbGllbnQiLCAib3RoZXIiXSwgInN1YiI6ICJ",
        "0aGUgc3ViamVjdCIsICJvaWQiOiAiMTExMTExMTEtMjIyMi0zMzMzLTQ0NDQtNTU1NTU1NTU1NTU1IiwgInV",
        "wbiI6ICJhbm5AY29udG9zby5jb20iLCAicHJlZmVycmVkX3VzZXJuYW1lIjogIkFubkBDb250b3NvLmNvbSI",
        "sICJub25jZSI6ICJ0aGUgbm9uY2UiLCAiaWF0IjogMTgwMDAwMDAwMCwgIm5iZiI6IDE4MDAwMDAwMDAsICJ",
        "leHAiOiAxODAwMDAzNjAwLCAiZ3JvdXBzIjogWyJnLTEiLCAiZy0yIl0sICJhenAiOiAiY2xpZW50In0.Lnf",
        "evZsWXx-WZoqLxvywNHZX6Zl-4WSn-hc9NbFzfLSzIcWfc04kvjyHiMIZ7OKbaxoXnEvo8Dobea22RXV4NsK",
        "RNbLVmyGO-4rcSu5qOaqRgB-GqyaMaN5LTocf9Tb32_gQG5rNK0l3DStvfAeYX0bdoZTgWLH4Buw552Srbs1",
        "pczN_3Q3FR_YfKWp2Nd06lONelgLFIjgRzi3_9JKfT-9OEQCA4aotYRP1LiQs9oBksAShwaXTWyxxulnIOB8",
        "jiwHfizwMBwCM6bFKb9rfk1Pda3Zn9UcyjuU_zVdrVe93wAIZFfH3qtYBcDdDhzE1D3dZ10sd9auCZVPXKXN",
        "6sQ",
    ].joined()
    static let onlySubject = [
        "eyJhbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhLWtleSJ9.eyJpc3MiOiAiaHR0cHM",
        "6Ly9pc3N1ZXIuZXhhbXBsZS90ZW5hbnQiLCAiYXVkIjogImNsaWVudCIsICJzdWIiOiAidGhlIHN1YmplY3Q",
        "iLCAiaWF0IjogMTgwMDAwMDAwMCwgIm5iZiI6IDE4MDAwMDAwMDAsICJleHAiOiAxODAwMDAzNjAwfQ.hHkx",
        "a2p78Sw536QQamOBzxulcKRizZ-Bv3IY3oKVDQWbNaOi5Xc3b-dKR_NqHJhvLwOEhJflNqm8j0Vb_L1FAXvq",
        "x5bN812jKzlKkYhc5Qxg3R6xzKDSJGt9CmSs_sPypZ8xPloUUwc8_GOiRsbWjC0aGnfiO2vIyaEOpf45Xk1G",
        "ti7it6dUWnAEYZgRkrNmpOMLJ6Xp0K2u_5Cl886YpX-g_SZ4gplZ8KEZ1brp0xMKFwmytjJ4kzBELEp9DwA6",
        "oYl9i5u2_dxZoMYY6btWeiGYUwu_v4Wy0ROcAYlfg--O9Y7NgP33_4HJW6X1iGjvrPi383fO0GFPSLeGc3vl",
        "iw",
    ].joined()
    static let groupsElsewhere = [
        "eyJhbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhLWtleSJ9.eyJpc3MiOiAiaHR0cHM",
        "6Ly9pc3N1ZXIuZXhhbXBsZS90ZW5hbnQiLCAiYXVkIjogImNsaWVudCIsICJzdWIiOiAidGhlIHN1YmplY3Q",
        "iLCAib2lkIjogIjExMTExMTExLTIyMjItMzMzMy00NDQ0LTU1NTU1NTU1NTU1NSIsICJ1cG4iOiAiYW5uQGN",
        "vbnRvc28uY29tIiwgInByZWZlcnJlZF91c2VybmFtZSI6ICJBbm5AQ29udG9zby5jb20iLCAibm9uY2UiOiA",
        "idGhlIG5vbmNlIiwgImlhdCI6IDE4MDAwMDAwMDAsICJuYmYiOiAxODAwMDAwMDAwLCAiZXhwIjogMTgwMDA",
        "wMzYwMCwgIl9jbGFpbV9uYW1lcyI6IHsiZ3JvdXBzIjogInNyYzEifX0.sFiGPEpBPaA7IgfT4YvVJWrsiq_",
        "crudAa21eqDC2RfpbvUKWExazVB_Rz-_zKGKOdH9g0Y_0dgz70geLJSI5SK8exGdhmQyh1CpHqea6C9tMfoB",
        "3ahMf5yWe2M-6TWPQCXoH0oBJ8p3WUiC4CyY631rsO2eOd-_WC-DqwojZmG4--xbjsJiyCkysK7ui08RHie_",
        "xsZMOj5Kf7OlJWLEpubKJS--VVtM-dvaTH2VTRpE0zfLKyxIgsaYihAIAjfXdajabThBa9fZ7a4NRHOEBt24",
        "IQ55spjYlBiq8bVt6KOOv5FnZWqinaHnPSCVkJNcPp2T95VZx_H6M4oUl7mr-bA",
    ].joined()
    static let unsigned = [
        "eyJhbGciOiAibm9uZSIsICJ0eXAiOiAiSldUIn0.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZS90",
        "ZW5hbnQiLCAiYXVkIjogImNsaWVudCIsICJzdWIiOiAidGhlIHN1YmplY3QiLCAib2lkIjogIjExMTExMTEx",
        "LTIyMjItMzMzMy00NDQ0LTU1NTU1NTU1NTU1NSIsICJ1cG4iOiAiYW5uQGNvbnRvc28uY29tIiwgInByZWZl",
        "cnJlZF91c2VybmFtZSI6ICJBbm5AQ29udG9zby5jb20iLCAibm9uY2UiOiAidGhlIG5vbmNlIiwgImlhdCI6",
        "IDE4MDAwMDAwMDAsICJuYmYiOiAxODAwMDAwMDAwLCAiZXhwIjogMTgwMDAwMzYwMCwgImdyb3VwcyI6IFsi",
        "Zy0xIiwgImctMiJdfQ.",
    ].joined()
    static let byPublicKey = [
        "eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhLWtleSJ9.eyJpc3MiOiAiaHR0cHM",
        "6Ly9pc3N1ZXIuZXhhbXBsZS90ZW5hbnQiLCAiYXVkIjogImNsaWVudCIsICJzdWIiOiAidGhlIHN1YmplY3Q",
        "iLCAib2lkIjogIjExMTExMTExLTIyMjItMzMzMy00NDQ0LTU1NTU1NTU1NTU1NSIsICJ1cG4iOiAiYW5uQGN",
        "vbnRvc28uY29tIiwgInByZWZlcnJlZF91c2VybmFtZSI6ICJBbm5AQ29udG9zby5jb20iLCAibm9uY2UiOiA",
        "idGhlIG5vbmNlIiwgImlhdCI6IDE4MDAwMDAwMDAsICJuYmYiOiAxODAwMDAwMDAwLCAiZXhwIjogMTgwMDA",
        "wMzYwMCwgImdyb3VwcyI6IFsiZy0xIiwgImctMiJdfQ.X7BstYSGpLuzjh7MuYP94uGIVRGQJdDZUO2JGwxn",
        "KYk",
    ].joined()
}
