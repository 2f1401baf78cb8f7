// The settings that an organisation may ask for, and which of two values is stricter.

internal import MAMModel
internal import MAMPolicy

/// One key. A value only ever makes the machine's own setting stricter, and starts no program.
struct AskedSetting: Sendable {
    /// As messages have it: `LockOn.Sleep`.
    let name: String
    /// Puts a value of a document into settings; refuses one that the key cannot have.
    let read: @Sendable (JSONValue, inout Settings) throws(PolicyError) -> Void
    /// Makes the second settings as strict as the first ones.
    let raise: @Sendable (_ asked: Settings, inout Settings) -> Void
    /// What settings say for the key, as settings.json has it.
    let show: @Sendable (Settings) -> JSONValue

    /// `strictest`: of the machine's own value and the organisation's.
    private init<Value>(
        _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
        strictest: @escaping @Sendable (_ own: Value, _ asked: Value) -> Value
    ) {
        self.name = name
        let field = SettingField.all.first { $0.name == name }
        read = { value, settings throws(PolicyError) in try field?.read(value, name, &settings) }
        raise = { asked, own in
            own[keyPath: path] = strictest(own[keyPath: path], asked[keyPath: path])
        }
        show = { field?.show($0) ?? .null }
    }

    /// A probe that the machine must have; it says itself which program that is. If the document
    /// named it, a stolen policy key could run any program.
    private init(probe: String) {
        let name = "Probes.\(probe)"
        self.name = name
        read = { value, settings throws(PolicyError) in
            _ = try Self.requirement.decode(value, key: name, &settings.warnings)
        }
        raise = { _, _ in }
        show = { _ in Self.requirement.write(true) }
    }

    private static let requirement = Shape<Bool>(
        "required", read: { $0.text == "required" ? true : nil }, write: { _ in "required" })

    static let all: [AskedSetting] =
        [
            AskedSetting("Containment", \.containment) { own, asked in
                max(own, asked, by: Settings.Containment.allCases)
            },
            AskedSetting("ContainedNetwork", \.containedNetwork) { $0.common(with: $1) },
            AskedSetting("ContainedTerminalBlocked", \.containedTerminalBlocked) { $0 || $1 },
            AskedSetting("ContainedNestedRequired", \.containedNestedRequired) { $0 || $1 },
            AskedSetting("LockGraceSeconds", \.lockGraceSeconds) { min($0, $1) },
            AskedSetting("LockOn.SessionLock", \.lockOnSession) { own, asked in
                max(own, asked, by: [.never, .grace, .now])
            },
            AskedSetting("LockOn.Sleep", \.locksOnSleep) { $0 || $1 },
            // 0 is never.
            AskedSetting("LockOn.IdleSeconds", \.idleLockSeconds) { own, asked in
                own == 0 || asked == 0 ? max(own, asked) : min(own, asked)
            },
            AskedSetting("TrustedPrograms", \.trustedPrograms) { own, asked in
                own.filter(Set(asked).contains)
            },
        ] + SettingField.keys(in: "Probes").map(AskedSetting.init(probe:))

    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// The later one in the list.
private func max<Value: Equatable>(_ one: Value, _ other: Value, by order: [Value]) -> Value {
    let place = { order.firstIndex(of: $0) ?? 0 }
    return place(one) < place(other) ? other : one
}

extension Settings.ContainedNetwork {
    /// What both allow.
    fileprivate func common(with other: Self) -> Self {
        switch (self, other) {
        case (.any, let rest), (let rest, .any): rest
        case (.none, _), (_, .none): .none
        case (.ports(let own), .ports(let others)):
            own.contains(where: others.contains) ? .ports(own.filter(others.contains)) : .none
        }
    }
}
