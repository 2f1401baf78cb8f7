// The record on disk: one JSON object.

package import MAMModel
internal import MAMPolicy
internal import MAMSystem

extension EnrollmentRecord {
    private static let version: Int64 = 1

    package var json: JSONValue {
        [
            "version": .integer(Self.version),
            "stage": .string(stage.rawValue), "statusCode": JSONValue(code.rawValue),
            "wallSeconds": .integer(reading.wallSeconds),
            "secondsSinceBoot": .integer(reading.secondsSinceBoot), "boot": .string(reading.boot),
            "sinceCheckIn": .integer(sinceCheckIn), "sinceAttempt": .integer(sinceAttempt),
            "networkFailures": JSONValue(networkFailures),
            "offlineWipe": JSONValue(offlineWipe?.rawValue),
            "wrongBefore": wrongBefore.map { .integer(Int64($0)) } ?? .null,
            "sincePassphrase": .integer(sincePassphrase),
            "flaw": JSONValue(flaw?.reason), "flawRules": JSONValue(flaw?.rules),
            "isLockedOut": .bool(isLockedOut),
            "sinceClockedOut": sinceClockedOut.map { .integer($0) } ?? .null,
            "policyMark": JSONValue(policyMark),
            "sinceSignIn": sinceSignIn.map { .integer($0) } ?? .null,
            "person": person?.json ?? .null,
        ]
    }

    /// True for the record of a newer mamd.
    package static func isNewer(_ json: JSONValue) -> Bool {
        json.object?["version"]?.integer.map { $0 > version } ?? false
    }

    /// Nil for anything that ``json`` would not return.
    package init?(_ json: JSONValue) {
        guard let members = json.object, members["version"]?.integer == Self.version,
            let stage = members["stage"]?.text.flatMap(Stage.init(rawValue:)),
            let code = members["statusCode"]?.integer.flatMap({ Int(exactly: $0) })
                .flatMap(StatusCode.init(rawValue:)),
            let wall = members["wallSeconds"]?.integer, let boot = members["boot"]?.text,
            let sinceBoot = members["secondsSinceBoot"]?.integer,
            let sinceCheckIn = members["sinceCheckIn"]?.integer, sinceCheckIn >= 0,
            let sinceAttempt = members["sinceAttempt"]?.integer, sinceAttempt >= 0,
            let failures = members["networkFailures"]?.integer.flatMap({ Int(exactly: $0) }),
            let sincePassphrase = members["sincePassphrase"]?.integer, sincePassphrase >= 0,
            let isLockedOut = members["isLockedOut"]?.bool, failures >= 0
        else { return nil }
        self.init(
            at: ClockReading(
                Moment(wallSeconds: wall, secondsSinceBoot: sinceBoot), boot: boot))
        self.stage = stage
        self.code = code
        self.sinceCheckIn = sinceCheckIn
        self.sinceAttempt = sinceAttempt
        networkFailures = failures
        offlineWipe = members["offlineWipe"]?.text.flatMap(OfflineWipe.init(rawValue:))
        wrongBefore = members["wrongBefore"]?.integer.flatMap { Int(exactly: $0) }
        self.sincePassphrase = sincePassphrase
        flaw = members["flaw"]?.text.map {
            Flaw(reason: $0, rules: members["flawRules"]?.text ?? "")
        }
        self.isLockedOut = isLockedOut
        sinceClockedOut = members["sinceClockedOut"]?.integer
        policyMark = members["policyMark"]?.text
        sinceSignIn = members["sinceSignIn"]?.integer
        person = members["person"].flatMap(SignedInPerson.init)
        guard wrongBefore ?? 0 >= 0, sinceClockedOut ?? 0 >= 0, sinceSignIn ?? 0 >= 0 else {
            return nil
        }
        // An unknown word must not count as an absent one.
        guard json.object.map({ self.json == .object($0) }) == true else { return nil }
    }
}

extension SignedInPerson {
    fileprivate var json: JSONValue {
        [
            "issuer": .string(issuer), "subject": .string(subject), "nonce": JSONValue(nonce),
            "groups": groups.map { .array($0.map { .string($0) }) } ?? .null,
        ]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let members = json.object, let issuer = members["issuer"]?.text,
            let subject = members["subject"]?.text
        else { return nil }
        self.init(
            issuer: issuer, subject: subject, nonce: members["nonce"]?.text,
            groups: members["groups"]?.array.map { $0.compactMap(\.text) })
    }
}
