// From docs/io.mamd.SignIn.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

extension Varlink { package enum SignIn {} }
extension Varlink.SignIn {
    package static let name = "io.mamd.SignIn"
    package enum Method: String, Sendable, CaseIterable {
        case show = "Show", begin = "Begin", finish = "Finish", deliverKeys = "DeliverKeys"
    }

    package struct Issuer: WireObject, Equatable {
        package var authority: String, clientID: String, redirectUri: String, deviceCode: Bool,
            mayDeliver: Bool, keys: Int, keysAge: Int?
        package init(authority: String, clientID: String, redirectUri: String, deviceCode: Bool,
            mayDeliver: Bool, keys: Int, keysAge: Int? = nil) {
            (self.authority, self.clientID, self.redirectUri, self.deviceCode, self.mayDeliver,
                self.keys, self.keysAge) = (authority, clientID, redirectUri, deviceCode,
                mayDeliver, keys, keysAge)
        }
        package static let codec = Codec(["authority", "clientId", "redirectUri", "deviceCode",
            "mayDeliver", "keys", "keysAge"], Self.init) {
            [$0.authority.json, $0.clientID.json, $0.redirectUri.json, $0.deviceCode.json,
                $0.mayDeliver.json, $0.keys.json, $0.keysAge.json]
        }
    }

    package struct Show: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var issuer: Issuer?
            package init(issuer: Issuer? = nil) { self.issuer = issuer }
            package static let codec = Codec(["issuer"], Self.init) { [$0.issuer.json] }
        }
    }

    package enum Way: String, WireWord { case browser, deviceCode, refresh }

    package struct Begin: VarlinkRequest {
        package var account: String, objectID: String?, way: Way
        package init(account: String, objectID: String? = nil, way: Way) {
            (self.account, self.objectID, self.way) = (account, objectID, way)
        }
        package static let codec = Codec(["account", "objectId", "way"], Self.init) {
            [$0.account.json, $0.objectID.json, $0.way.json]
        }
        package struct Reply: WireObject {
            package var ticket: String, nonce: String, wantsKeys: Bool
            package init(ticket: String, nonce: String, wantsKeys: Bool) {
                (self.ticket, self.nonce, self.wantsKeys) = (ticket, nonce, wantsKeys)
            }
            package static let codec = Codec(["ticket", "nonce", "wantsKeys"], Self.init) {
                [$0.ticket.json, $0.nonce.json, $0.wantsKeys.json]
            }
        }
    }

    package struct Finish: VarlinkRequest {
        package var ticket: String, tokenDescriptor: Int
        package init(ticket: String, tokenDescriptor: Int) {
            (self.ticket, self.tokenDescriptor) = (ticket, tokenDescriptor)
        }
        package static let codec = Codec(["ticket", "tokenDescriptor"], Self.init) {
            [$0.ticket.json, $0.tokenDescriptor.json]
        }
        package struct Reply: WireObject {
            package var signedIn: Bool, keyID: String?, retryAfterSeconds: Int?, groups: Int?
            package init(signedIn: Bool, keyID: String? = nil, retryAfterSeconds: Int? = nil,
                groups: Int? = nil) {
                (self.signedIn, self.keyID, self.retryAfterSeconds, self.groups) = (signedIn, keyID,
                    retryAfterSeconds, groups)
            }
            package static let codec = Codec(["signedIn", "keyId", "retryAfterSeconds",
                "groups"], Self.init) {
                [$0.signedIn.json, $0.keyID.json, $0.retryAfterSeconds.json, $0.groups.json]
            }
        }
    }

    package struct DeliverKeys: VarlinkRequest {
        package var keys: String
        package init(keys: String) { self.keys = keys }
        package static let codec = Codec(["keys"], Self.init) { [$0.keys.json] }
        package struct Reply: WireObject {
            package var keys: Int
            package init(keys: Int) { self.keys = keys }
            package static let codec = Codec(["keys"], Self.init) { [$0.keys.json] }
        }
    }
}
