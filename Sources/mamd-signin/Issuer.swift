// The issuer, as its discovery document describes it (OpenID Connect Discovery 1.0).

import MAMCommandLine
import MAMModel
import MAMWeb
import MAMWire

struct Issuer {
    let name: String
    let clientID: String
    let authorization: String
    let token: String
    let keys: String
    /// Nil if it gives no device codes.
    let device: String?

    static let scope = "openid profile offline_access"

    init(_ issuer: Varlink.SignIn.Issuer) throws(Failure) {
        let address = "\(issuer.authority)/.well-known/openid-configuration"
        let answer = try request(address)
        guard answer.status == 200, let members = answer.members else {
            throw Failure("\(address) answers \(answer.status), and no discovery document")
        }
        let found = members["issuer"]?.text ?? ""
        guard found == issuer.authority || found == "\(issuer.authority)/" else {
            throw Failure(
                .refused, "\(address) is about another issuer, '\(shown(found))': ADALAuthority")
        }
        name = found
        clientID = issuer.clientID
        authorization = try Self.address(members, "authorization_endpoint")
        token = try Self.address(members, "token_endpoint")
        keys = try Self.address(members, "jwks_uri")
        device =
            members["device_authorization_endpoint"] == nil
            ? nil : try Self.address(members, "device_authorization_endpoint")
    }

    private static func address(
        _ members: [String: JSONValue], _ name: String
    ) throws(Failure) -> String {
        guard let text = members[name]?.text, text.lowercased().hasPrefix("https://"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Failure(.refused, "the issuer's \(name) is no address of https")
        }
        return text
    }

    /// The issuer's keys, as they are.
    func keySet() throws(Failure) -> [UInt8] {
        let answer = try request(keys)
        guard answer.status == 200 else {
            throw Failure("the issuer's keys at \(shown(keys)): it answers \(answer.status)")
        }
        return answer.body
    }

    /// Asks the token endpoint. Returns the error's name in place of tokens if it is `waiting`.
    func tokens(
        _ form: [(String, String)], waiting: Set<String> = []
    ) throws(Failure) -> Result<Tokens, Waiting> {
        let answer = try request(token, form: form + [("client_id", clientID)])
        let members = answer.members ?? [:]
        guard answer.status == 200, let identity = members["id_token"]?.text else {
            let error = members["error"]?.text ?? "\(answer.status), and no ID token"
            if waiting.contains(error) { return .failure(Waiting(error: error)) }
            let more = members["error_description"]?.text.map { ": \($0)" } ?? ""
            throw Failure(.refused, "the issuer refuses: \(shown("\(error)\(more)"))")
        }
        return .success(Tokens(identity: identity, refresh: members["refresh_token"]?.text))
    }
}

/// What the issuer gives.
struct Tokens {
    let identity: String
    let refresh: String?
}

/// The issuer has no answer yet.
struct Waiting: Error {
    let error: String
}
