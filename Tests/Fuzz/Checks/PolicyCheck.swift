// Policy documents and settings: what people and services put into a workspace's configuration.

import MAMModel
import MAMPolicy

func checkPolicy(_ bytes: [UInt8]) throws(Violation) {
    let documents: [PolicyDocument]
    do throws(PolicyError) {
        documents = try PolicyDocument.decode(bytes)
    } catch {
        return try expect(!error.description.isEmpty, "no words")
    }
    try expect(!documents.isEmpty, "no document, and no error")
    for warning in documents.flatMap(\.warnings) {
        try expect(!warning.description.isEmpty, "no words")
    }
    try checkMerge(documents)
    let written = try must("JSON that was read is not read again") {
        try PolicyDocument.decode(JSONValue(parsing: bytes).encoded())
    }
    try expect(written == documents, "other documents when written and read again")
}

/// Order and repetition mean nothing, and one more document never loosens what the others ask.
private func checkMerge(_ documents: [PolicyDocument]) throws(Violation) {
    let merged = EffectivePolicy.merge(documents)
    try expect(EffectivePolicy.merge(documents.reversed()) == merged, "the order matters")
    try expect(EffectivePolicy.merge(documents + documents) == merged, "repetition matters")
    let settings = Settings()
    for document in documents where document.rules.appDataEncryptionType != nil {
        let alone = EffectivePolicy.merge([document]).protectionClass(settings: settings)
        let isKnown = document.rules.appDataEncryptionType != .useDeviceSettings
        try expect(
            !isKnown || merged.protectionClass(settings: settings).rawValue <= alone.rawValue,
            "a class is looser than one document asks")
    }
    for asked in ProtectionClass.allCases {
        let found = merged.effectiveClass(asked: asked, settings: settings)
        try expect(found.rawValue <= asked.rawValue, "looser than it was asked for")
    }
}

func checkSettings(_ bytes: [UInt8]) throws(Violation) {
    let settings: Settings
    do throws(PolicyError) { settings = try Settings.decode(bytes) } catch {
        return try expect(!error.description.isEmpty, "no words")
    }
    try expect((0...3600).contains(settings.lockGraceSeconds), "grace")
    try expect((1...60).contains(settings.lockDeadlineSeconds), "deadline")
    try expect((0...86_400).contains(settings.idleLockSeconds), "idle time")
    try expect((1...100).contains(settings.keyDerivationPasses), "passes")
    try expect((8...4096).contains(settings.keyDerivationMemoryMiB), "memory")
    let written = try must("JSON that was read is not read again") {
        try Settings.decode(JSONValue(parsing: bytes).encoded())
    }
    try expect(written == settings, "other settings when written and read again")
}
