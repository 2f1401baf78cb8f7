import MAMCrypto
import MAMFleet
import MAMModel
import Testing

@Suite struct SignatureTests {
    let contoso = Organization()

    @Test func `Ed25519 is that of RFC 8032`() throws {
        let secret = try #require(
            bytes(hexadecimal: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"))
        let seed = secret.withUnsafeBytes { SecretBytes(copying: $0) }
        let publicKey = try #require(Ed25519.publicKey(ofSeed: seed))
        #expect(
            hexadecimal(publicKey)
                == "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
        let signature = try #require(Ed25519.sign([0xAF, 0x82], seed: seed))
        #expect(
            hexadecimal(signature)
                == "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a")
        #expect(Ed25519.isSigned([0xAF, 0x82], with: signature, by: publicKey))
        #expect(!Ed25519.isSigned([0xAF, 0x83], with: signature, by: publicKey))
    }

    @Test func `what is signed is DSSE's encoding`() {
        let envelope = contoso.policy()
        let text = String(decoding: envelope.signedBytes.prefix(60), as: UTF8.self)
        #expect(text.hasPrefix("DSSEv1 32 application/vnd.mamd.policy+json "))
        #expect(envelope.signedBytes.suffix(envelope.payload.count) == envelope.payload[...])
    }

    @Test func `an envelope is read as it was written`() throws {
        let envelope = contoso.policy()
        #expect(try Envelope(parsing: envelope.encoded()) == envelope)
        _ = try SignedDocument(envelope, by: Root(parsing: contoso.root().content), of: contoso.id)
    }

    /// Every byte of what is signed, of the content and of the signature counts.
    @Test func `no byte can be changed`() throws {
        let root = try Root(parsing: contoso.root().content)
        let good = contoso.policy()
        func isAccepted(_ change: (inout [String: JSONValue]) -> Void) -> Bool {
            var members = good.json.object ?? [:]
            change(&members)
            guard let changed = try? Envelope(parsing: JSONValue.object(members).encoded()) else {
                return false
            }
            return (try? SignedDocument(changed, by: root, of: contoso.id)) != nil
        }
        #expect(isAccepted { _ in })
        func flipped(_ bytes: [UInt8], _ index: Int) -> JSONValue {
            var bytes = bytes
            bytes[index] ^= 1
            return .string(base64(bytes))
        }
        for index in good.payload.indices {
            #expect(!isAccepted { $0["payload"] = flipped(good.payload, index) })
        }
        for index in good.content.indices {
            #expect(!isAccepted { $0["content"] = flipped(good.content, index) })
        }
        let signature = good.signatures[0]
        for index in signature.bytes.indices {
            #expect(
                !isAccepted {
                    $0["signatures"] = [
                        [
                            "keyid": .string(signature.key.description),
                            "sig": flipped(signature.bytes, index),
                        ]
                    ]
                })
        }
        for kind in DocumentKind.allCases where kind != .policy {
            #expect(!isAccepted { $0["payloadType"] = .string(kind.payloadType) })
        }
        #expect(!isAccepted { $0["more"] = 1 })
        #expect(!isAccepted { $0["signatures"] = [] })
    }

    @Test func `a signature counts once, and only of the role's keys`() throws {
        let root = try Root(parsing: contoso.root().content)
        func refusal(_ envelope: Envelope) -> Refusal? {
            do throws(Refusal) {
                _ = try SignedDocument(envelope, by: root, of: contoso.id)
                return nil
            } catch { return error }
        }
        let wipe = Order(.wipe, account: Bytes16(high: 3, low: 4))
        #expect(refusal(contoso.order(wipe)) == nil)
        let one = contoso.order(wipe, by: [contoso.orders[0]])
        #expect(refusal(one) == .notSigned(.order, found: 1, needed: 2))
        // The same signature twice, under one id.
        var members = one.json.object ?? [:]
        let list = members["signatures"]?.array ?? []
        members["signatures"] = .array(list + list)
        let twice = try Envelope(parsing: JSONValue.object(members).encoded())
        #expect(refusal(twice) == .notSigned(.order, found: 1, needed: 2))
        let mixed = contoso.order(wipe, by: [contoso.orders[0], contoso.policies[0]])
        #expect(refusal(mixed) == .notSigned(.order, found: 1, needed: 2))
        #expect(refusal(contoso.ownOrder(Order(.lock), by: [contoso.orders[2]])) == nil)
        let strange = contoso.policy(by: [Key()])
        #expect(refusal(strange) == .notSigned(.policy, found: 0, needed: 1))
        var other = contoso
        other.id = Bytes16(high: 1, low: 1)
        #expect(refusal(other.policy()) == .otherOrganization(other.id))
    }

    @Test(arguments: [
        #""serial": 0"#, #""serial": "1""#, #""audience": "everybody""#, #""audience": "group:""#,
        #""audience": "group:a/b""#, #""name": "../x""#, #""name": """#, #""issued": "now""#,
        #""issued": "2026-01-01T00:00:00.000Z""#, #""expires": "2020-01-01T00:00:00Z""#,
        #""sha256": "AB""#, #""byteCount": -1"#, #""unknown": 1"#, #""expires": null"#,
    ])
    func `a statement of another form is refused`(_ member: String) throws {
        let good = try contoso.policy().statement().json
        var members = good.object ?? [:]
        let changed = try JSONValue(parsing: Array("{\(member)}".utf8))
        members.merge(changed.object ?? [:]) { $1 }
        #expect(throws: Refusal.self) { try Statement(.object(members), kind: .policy) }
        _ = try Statement(good, kind: .policy)
    }

    @Test(arguments: [
        (1, 2, "two keys at least"), (4, 3, "needs 4 signatures"), (0, 3, "needs 0 signatures"),
    ])
    func `a root whose orders one person could give is refused`(
        _ threshold: Int, _ count: Int, _ reason: String
    ) throws {
        let keys = (0..<count).map { _ in Key() }
        let holders = Root.Holders(keys: Set(keys.map(\.id)), threshold: 1)
        do throws(Refusal) {
            _ = try Root(
                name: "Contoso", keys: keys.map(\.publicKey),
                roles: [
                    .root: holders, .policy: holders, .time: holders,
                    .order: .init(keys: holders.keys, threshold: threshold),
                ])
            Issue.record("accepted")
        } catch { #expect(error.description.contains(reason)) }
    }
}
