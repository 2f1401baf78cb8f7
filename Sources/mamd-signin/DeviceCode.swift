// A person signs in on another device (RFC 8628): for machines without a browser.

import Glibc
import MAMCommandLine
import MAMModel
import MAMWeb
import MAMWire

func askOnDevice(_ issuer: Issuer, _ account: String) throws(Failure) -> Tokens {
    guard let endpoint = issuer.device else {
        throw Failure(.refused, "the issuer gives no device codes")
    }
    let answer = try request(
        endpoint, form: [("client_id", issuer.clientID), ("scope", Issuer.scope)])
    guard answer.status == 200, let members = answer.members,
        let code = members["device_code"]?.text, let userCode = members["user_code"]?.text,
        let place = members["verification_uri"]?.text
    else { throw Failure(.refused, "the issuer gives no device code: it answers \(answer.status)") }
    printError(
        "Sign in as \(shown(account)) on any device at \(shown(place)), with the code"
            + " \(shown(userCode))")
    let lasts = min(600, max(1, members["expires_in"]?.integer ?? 600))
    var interval = min(60, max(1, members["interval"]?.integer ?? 5))
    var waited: Int64 = 0
    while waited < lasts {
        sleep(UInt32(interval))
        waited += interval
        let form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code),
        ]
        switch try issuer.tokens(form, waiting: ["authorization_pending", "slow_down"]) {
        case .success(let tokens): return tokens
        case .failure(let waiting): if waiting.error == "slow_down" { interval += 5 }
        }
    }
    throw Failure("nobody has signed in within \(lasts / 60) minutes")
}
