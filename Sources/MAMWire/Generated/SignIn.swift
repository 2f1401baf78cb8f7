// From docs/io.mamd.SignIn.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum SignIn {
        package static let name = "io.mamd.SignIn"

        package enum Method: String, Sendable, CaseIterable {
            case show = "Show"
            case begin = "Begin"
            case finish = "Finish"
            case deliverKeys = "DeliverKeys"
        }

        package struct Issuer: WireObject {
            package var authority: String
            package var clientID: String
            package var redirectUri: String
            package var deviceCode: Bool
            package var mayDeliver: Bool
            package var keys: Int
            package var keysAge: Int?

            package init(
                authority: String, clientID: String, redirectUri: String, deviceCode: Bool,
                mayDeliver: Bool, keys: Int, keysAge: Int? = nil
            ) {
                self.authority = authority
                self.clientID = clientID
                self.redirectUri = redirectUri
                self.deviceCode = deviceCode
                self.mayDeliver = mayDeliver
                self.keys = keys
                self.keysAge = keysAge
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    authority: wire.value("authority"), clientID: wire.value("clientId"),
                    redirectUri: wire.value("redirectUri"),
                    deviceCode: wire.value("deviceCode"), mayDeliver: wire.value("mayDeliver"),
                    keys: wire.value("keys"), keysAge: wire.value("keysAge")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "authority": authority.json, "clientId": clientID.json,
                    "redirectUri": redirectUri.json, "deviceCode": deviceCode.json,
                    "mayDeliver": mayDeliver.json, "keys": keys.json, "keysAge": keysAge.json
                ]
            }
        }

        package struct Show: VarlinkRequest, WithoutMembers {
            package static let method = "io.mamd.SignIn.Show"
            package static let memberNames: Set<String> = []

            package init() {}

            package struct Reply: WireObject {
                package var issuer: Issuer?

                package init(issuer: Issuer? = nil) {
                    self.issuer = issuer
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(issuer: wire.value("issuer"))
                }

                package var members: [String: JSONValue] { ["issuer": issuer.json] }
            }
        }

        package struct Begin: VarlinkRequest {
            package static let method = "io.mamd.SignIn.Begin"
            package static let memberNames: Set<String> = ["account", "objectId", "way"]

            package var account: String
            package var objectID: String?
            package var way: String

            package init(account: String, objectID: String? = nil, way: String) {
                self.account = account
                self.objectID = objectID
                self.way = way
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), objectID: wire.value("objectId"),
                    way: wire.value("way")
                )
            }

            package var members: [String: JSONValue] {
                ["account": account.json, "objectId": objectID.json, "way": way.json]
            }

            package struct Reply: WireObject {
                package var ticket: String
                package var nonce: String
                package var wantsKeys: Bool

                package init(ticket: String, nonce: String, wantsKeys: Bool) {
                    self.ticket = ticket
                    self.nonce = nonce
                    self.wantsKeys = wantsKeys
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        ticket: wire.value("ticket"), nonce: wire.value("nonce"),
                        wantsKeys: wire.value("wantsKeys")
                    )
                }

                package var members: [String: JSONValue] {
                    ["ticket": ticket.json, "nonce": nonce.json, "wantsKeys": wantsKeys.json]
                }
            }
        }

        package struct Finish: VarlinkRequest {
            package static let method = "io.mamd.SignIn.Finish"
            package static let memberNames: Set<String> = ["ticket", "tokenDescriptor"]

            package var ticket: String
            package var tokenDescriptor: Int

            package init(ticket: String, tokenDescriptor: Int) {
                self.ticket = ticket
                self.tokenDescriptor = tokenDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    ticket: wire.value("ticket"), tokenDescriptor: wire.value("tokenDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                ["ticket": ticket.json, "tokenDescriptor": tokenDescriptor.json]
            }

            package struct Reply: WireObject {
                package var signedIn: Bool
                package var keyID: String?
                package var retryAfterSeconds: Int?
                package var groups: Int?

                package init(
                    signedIn: Bool, keyID: String? = nil, retryAfterSeconds: Int? = nil,
                    groups: Int? = nil
                ) {
                    self.signedIn = signedIn
                    self.keyID = keyID
                    self.retryAfterSeconds = retryAfterSeconds
                    self.groups = groups
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        signedIn: wire.value("signedIn"), keyID: wire.value("keyId"),
                        retryAfterSeconds: wire.value("retryAfterSeconds"),
                        groups: wire.value("groups")
                    )
                }

                package var members: [String: JSONValue] {
                    [
                        "signedIn": signedIn.json, "keyId": keyID.json,
                        "retryAfterSeconds": retryAfterSeconds.json, "groups": groups.json
                    ]
                }
            }
        }

        package struct DeliverKeys: VarlinkRequest {
            package static let method = "io.mamd.SignIn.DeliverKeys"
            package static let memberNames: Set<String> = ["keys"]

            package var keys: String

            package init(keys: String) {
                self.keys = keys
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(keys: wire.value("keys"))
            }

            package var members: [String: JSONValue] { ["keys": keys.json] }

            package struct Reply: WireObject {
                package var keys: Int

                package init(keys: Int) {
                    self.keys = keys
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(keys: wire.value("keys"))
                }

                package var members: [String: JSONValue] { ["keys": keys.json] }
            }
        }
    }
}

extension Varlink.SignIn {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# Whose an account is, as an issuer of OpenID Connect proves it: docs/SIGN-IN.md. A token opens no
# file: keys stay with the account's passphrase.
#
# The daemon has no network. It makes the nonce, verifies the token, and keeps the issuer's keys;
# mamd-signin does the rest. A parameter whose name ends in Descriptor is the index of a file
# descriptor that is passed with the call (SCM_RIGHTS). Errors are those of io.mamd.Workspace.
interface io.mamd.SignIn

# authority: the issuer, without /.well-known/openid-configuration. redirectUri: a loopback address;
# without a port, any port is meant. deviceCode: whether device codes are allowed.
# mayDeliver: whether the caller may deliver its keys.
# keys: how many are known; keysAge: seconds since they were delivered, null without any
type Issuer (
  authority: string,
  clientId: string,
  redirectUri: string,
  deviceCode: bool,
  mayDeliver: bool,
  keys: int,
  keysAge: ?int
)

# issuer: null if accounts need no sign-in
method Show() -> (issuer: ?Issuer)

# Begins a sign-in, which ends after ten minutes. account: one of the caller's, or the name of one
# to register. way: browser, device-code, refresh. nonce: what the token must have, if way is
# browser. wantsKeys: the issuer's keys should be delivered first.
method Begin(
  account: string,
  objectId: ?string,
  way: string
) -> (ticket: string, nonce: string, wantsKeys: bool)

# Verifies the ID token of a sign-in by this caller, once. signedIn: false if its key is not known:
# deliver the issuer's keys in so many seconds, and call it again.
method Finish(ticket: string, tokenDescriptor: int) -> (
  signedIn: bool,
  keyId: ?string,
  retryAfterSeconds: ?int,
  groups: ?int
)

# Replaces the issuer's keys: a JSON Web Key Set, as the issuer publishes it. For root, the
# daemon's own user, and the user that the setting FleetUser names.
method DeliverKeys(keys: string) -> (keys: int)

"""
}
