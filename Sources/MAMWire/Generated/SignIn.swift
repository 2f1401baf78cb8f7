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
        package static let codec = Codec(Self.init, ("authority", \.authority),
            ("clientId", \.clientID), ("redirectUri", \.redirectUri), ("deviceCode", \.deviceCode),
            ("mayDeliver", \.mayDeliver), ("keys", \.keys), ("keysAge", \.keysAge))
    }

    package struct Show: VarlinkRequest, WithoutMembers {
        package init() {}
        package struct Reply: WireObject {
            package var issuer: Issuer?
            package init(issuer: Issuer? = nil) { self.issuer = issuer }
            package static let codec = Codec(Self.init, ("issuer", \.issuer))
        }
    }

    package enum Way: String, WireWord { case browser, deviceCode, refresh }

    package struct Begin: VarlinkRequest {
        package var account: String, objectID: String?, way: Way
        package init(account: String, objectID: String? = nil, way: Way) {
            (self.account, self.objectID, self.way) = (account, objectID, way)
        }
        package static let codec = Codec(Self.init, ("account", \.account),
            ("objectId", \.objectID), ("way", \.way))
        package struct Reply: WireObject {
            package var ticket: String, nonce: String, wantsKeys: Bool
            package init(ticket: String, nonce: String, wantsKeys: Bool) {
                (self.ticket, self.nonce, self.wantsKeys) = (ticket, nonce, wantsKeys)
            }
            package static let codec = Codec(Self.init, ("ticket", \.ticket), ("nonce", \.nonce),
                ("wantsKeys", \.wantsKeys))
        }
    }

    package struct Finish: VarlinkRequest {
        package var ticket: String, tokenDescriptor: Int
        package init(ticket: String, tokenDescriptor: Int) {
            (self.ticket, self.tokenDescriptor) = (ticket, tokenDescriptor)
        }
        package static let codec = Codec(Self.init, ("ticket", \.ticket),
            ("tokenDescriptor", \.tokenDescriptor))
        package struct Reply: WireObject {
            package var signedIn: Bool, keyID: String?, retryAfterSeconds: Int?, groups: Int?
            package init(signedIn: Bool, keyID: String? = nil, retryAfterSeconds: Int? = nil,
                groups: Int? = nil) {
                (self.signedIn, self.keyID, self.retryAfterSeconds, self.groups) = (signedIn, keyID,
                    retryAfterSeconds, groups)
            }
            package static let codec = Codec(Self.init, ("signedIn", \.signedIn),
                ("keyId", \.keyID), ("retryAfterSeconds", \.retryAfterSeconds),
                ("groups", \.groups))
        }
    }

    package struct DeliverKeys: VarlinkRequest {
        package var keys: String
        package init(keys: String) { self.keys = keys }
        package static let codec = Codec(Self.init, ("keys", \.keys))
        package struct Reply: WireObject {
            package var keys: Int
            package init(keys: Int) { self.keys = keys }
            package static let codec = Codec(Self.init, ("keys", \.keys))
        }
    }
}
