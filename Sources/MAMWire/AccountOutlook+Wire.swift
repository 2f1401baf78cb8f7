// What the interface's type Account has beside names and states.

internal import MAMModel

extension AccountOutlook {
    /// Nil where the method that answered, or an older daemon, does not tell it.
    init?(ifIn wire: Parameters) throws(VarlinkError) {
        guard wire.has("openClasses") else { return nil }
        self.init()
        for letter in try wire.strings("openClasses") {
            guard let openClass = ProtectionClass(letter) else {
                throw .invalidParameter("openClasses")
            }
            openClasses.append(openClass)
        }
        openFiles = try wire.integer("openFiles")
        graceSeconds = try wire.optionalInteger("graceSeconds")
        idleSeconds = try wire.optionalInteger("idleSeconds")
        sinceCheckIn = try wire.optionalInteger("secondsSinceCheckIn")
        offlineBlockSeconds = try wire.optionalInteger("offlineBlockSeconds")
        offlineWipeSeconds = try wire.optionalInteger("offlineWipeSeconds")
        policies = wire.has("policies") ? try wire.strings("policies") : nil
    }

    var members: [String: JSONValue] {
        func number(_ value: Int?) -> JSONValue { value.map { JSONValue($0) } ?? .null }
        return [
            "openClasses": .array(openClasses.map { .string($0.letter) }),
            "openFiles": JSONValue(openFiles),
            "graceSeconds": number(graceSeconds), "idleSeconds": number(idleSeconds),
            "secondsSinceCheckIn": number(sinceCheckIn),
            "offlineBlockSeconds": number(offlineBlockSeconds),
            "offlineWipeSeconds": number(offlineWipeSeconds),
            "policies": policies.map { .array($0.map { .string($0) }) } ?? .null,
        ]
    }
}
