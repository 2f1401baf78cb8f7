// Keybags on disk: two copies each, at most one of them at risk at any time.

internal import Glibc
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// The directory `keybags/`. Only temporary files and the keybags of wiped accounts are ever
/// removed.
struct KeybagStore: Sendable {
    static let directoryName = AccountFile.keybag.directory
    private static let suffix = ".keybag"
    private static let copySuffix = ".keybag.copy"

    let directory: Descriptor

    /// The stored state of one account.
    enum Entry: Sendable {
        case usable(Keybag, DeviceKeys)
        case unreadable(fileName: String, KeybagError)
    }

    init(in stateDirectory: Int32) throws(Errno) {
        directory = try openStateDirectory(in: stateDirectory, Self.directoryName)
    }

    static func fileName(_ account: AccountID) -> String { "\(account.bytes)\(suffix)" }
    static func copyName(_ account: AccountID) -> String { "\(account.bytes)\(copySuffix)" }

    /// True if there is any keybag, readable or not.
    func hasKeybags() throws(Errno) -> Bool { try !accountNames().isEmpty }

    /// Loads all accounts except `known`, repairs a copy from the other where possible, and reports
    /// what it did.
    ///
    /// `known`: accounts in memory, each as good as a copy. `mayRepair`: false to report only.
    func load(
        deviceSecret: SecretBytes, except left: Set<AccountID>, known: [HeldAccount] = [],
        mayRepair: Bool = true, report: (KeyringFinding) -> Void
    ) throws(Errno) -> [Entry] {
        if mayRepair { eraseUnfinished(report: report) }
        let leftNames = Set(left.map { "\($0.bytes)" })
        let known = Dictionary(
            known.map { ("\($0.keybag.accountID.bytes)", $0) }, uniquingKeysWith: { one, _ in one })
        return try Set(accountNames()).union(known.keys).subtracting(leftNames).sorted().map {
            name in
            let entry = loadAccount(
                name, deviceSecret: deviceSecret, known: known[name], mayRepair: mayRepair,
                report: report)
            if case .unreadable(let fileName, let error) = entry {
                report(.unreadable(fileName: fileName, error))
            }
            return entry
        }
    }

    /// Writes the two copies one after the other, so that one is always complete.
    ///
    /// Throws only if the old content is still in place. Otherwise the new content counts, also for
    /// the next load; returns false, after a report, if it may not survive a crash.
    @discardableResult
    func save(_ keybag: Keybag, report: (KeyringFinding) -> Void) throws(Errno) -> Bool {
        let bytes = keybag.encoded
        let (first, second) = (
            Self.fileName(keybag.accountID), Self.copyName(keybag.accountID)
        )
        var isDurable = true
        do throws(Errno) {
            try replace(first, with: bytes, report: report)
        } catch {
            // The rename may have succeeded and only the sync of the directory failed.
            guard (try? readStateFile(in: directory.raw, first, byteCount: bytes.count)) == bytes
            else { throw error }
            report(.notDurable(fileName: "\(Self.directoryName)/\(first)", error))
            isDurable = false
        }
        do throws(Errno) {
            try replace(second, with: bytes, report: report)
            isDurable = true
        } catch { report(.notRepaired(fileName: second, error)) }
        return isDurable
    }

    /// Why no account with this id can be added; nil if it has no file of any content.
    func objection(to account: AccountID) throws(Errno) -> KeyringError? {
        guard try accountNames().contains("\(account.bytes)") else { return nil }
        let names = [Self.fileName(account), Self.copyName(account)]
        let newer = names.compactMap(newerRecord).first
        return newer.map { .leftNewer($0) }
            ?? .leftOver(fileName: "\(Self.directoryName)/\(names[0])")
    }

    private func newerRecord(_ fileName: String) -> NewerRecord? {
        let bytes = try? readStateFile(
            in: directory.raw, fileName, byteCount: Keybag.maximumByteCount)
        guard let bytes else { return nil }
        do throws(KeybagError) { _ = try Keybag.decode(bytes.span.bytes) } catch {
            guard case .newerVersion(let version) = error else { return nil }
            return NewerRecord(fileName: "\(Self.directoryName)/\(fileName)", version: version)
        }
        return nil
    }

    /// Destroys both copies of an account's keybag, and leftovers of interrupted changes.
    ///
    /// A failure with one file does not keep the others. Throws if a copy may still exist, on disk
    /// or in the directory, or reappear after a crash.
    func destroy(_ account: AccountID) throws(Errno) {
        var failure: Errno?
        func attempt(_ step: () throws(Errno) -> Void) {
            do throws(Errno) { try step() } catch { failure = failure ?? error }
        }
        var names = [Self.fileName(account), Self.copyName(account)]
        attempt { () throws(Errno) in
            names += try unfinishedFiles(in: directory.raw).filter {
                $0.hasPrefix(".\(account.bytes).")
            }
        }
        for name in names {
            attempt { () throws(Errno) in try eraseFile(in: directory.raw, named: name) }
        }
        attempt { () throws(Errno) in try synchronize(directory.raw) }
        if let failure { throw failure }
    }

    // MARK: One account

    private enum Copy {
        case usable(Keybag, DeviceKeys)
        case bad(KeybagError)

        var error: KeybagError? {
            if case .bad(let error) = self { error } else { nil }
        }
    }

    private func loadAccount(
        _ name: String, deviceSecret: SecretBytes, known: HeldAccount?, mayRepair: Bool,
        report: (KeyringFinding) -> Void
    ) -> Entry {
        let names = [name + Self.suffix, name + Self.copySuffix]
        let copies = names.map { readCopy($0, account: name, deviceSecret: deviceSecret) }
        // Do not touch an unknown version, which may contain what this one would lose.
        for (fileName, copy) in zip(names, copies) {
            if case .bad(.newerVersion(let version)) = copy {
                return .unreadable(fileName: fileName, .newerVersion(version))
            }
        }
        var best = known.map { (keybag: $0.keybag, keys: DeviceKeys(d: $0.keyD)) }
        for case .usable(let keybag, let keys) in copies
        where keybag.generation > best?.keybag.generation ?? 0 {
            best = (keybag, keys)
        }
        guard let best else {
            let (fileName, error) = worst(names, copies)
            return .unreadable(fileName: fileName, error)
        }
        for (fileName, copy) in zip(names, copies) {
            bringUpToDate(fileName, copy, to: best.keybag, mayRepair, report: report)
        }
        return .usable(best.keybag, best.keys)
    }

    /// The copy with the more specific error: a damaged file rather than a missing one.
    private func worst(_ names: [String], _ copies: [Copy]) -> (String, KeybagError) {
        let errors = zip(names, copies).compactMap { name, copy in copy.error.map { (name, $0) } }
        return errors.first { $0.1 != .missing } ?? (names[0], .missing)
    }

    private func readCopy(_ fileName: String, account: String, deviceSecret: SecretBytes) -> Copy {
        do throws(KeybagError) {
            let bytes: [UInt8]
            do throws(Errno) {
                bytes = try readStateFile(
                    in: directory.raw, fileName, byteCount: Keybag.maximumByteCount)
            } catch {
                throw error == .noEntry ? .missing : .system(error)
            }
            let keybag = try Keybag.decode(bytes.span.bytes)
            guard "\(keybag.accountID.bytes)" == account else { throw .otherAccount }
            return .usable(keybag, try keybag.openDeviceKeys(deviceSecret))
        } catch { return .bad(error) }
    }

    private func bringUpToDate(
        _ fileName: String, _ copy: Copy, to keybag: Keybag, _ mayRepair: Bool,
        report: (KeyringFinding) -> Void
    ) {
        let finding: KeyringFinding
        switch copy {
        case .usable(let copied, _) where copied.encoded == keybag.encoded: return
        case .usable: finding = .completed(fileName: fileName)
        case .bad(let error): finding = .repaired(fileName: fileName, error)
        }
        guard mayRepair else { return report(.outOfDate(fileName: fileName, copy.error)) }
        do throws(Errno) {
            try replace(fileName, with: keybag.encoded, report: report)
            report(finding)
        } catch { report(.notRepaired(fileName: fileName, error)) }
    }

    // MARK: The directory

    /// The accounts that have files, by the 32 digits in the file names.
    private func accountNames() throws(Errno) -> [String] {
        let names = try entries(of: directory.raw).compactMap(\.text).compactMap {
            name -> String? in
            guard let end = name.firstIndex(of: "."),
                [Self.suffix, Self.copySuffix].contains(String(name[end...]))
            else { return nil }
            let digits = String(name[..<end])
            // Only names that mamd writes: lower case.
            return Bytes16(hex: digits)?.description == digits ? digits : nil
        }
        return Set(names).sorted()
    }

    /// They contain wrapped keys, which must not outlive a wiped account. Until the directory is
    /// synced, a crash may restore one under a keybag's name.
    private func eraseUnfinished(report: (KeyringFinding) -> Void) {
        for name in (try? unfinishedFiles(in: directory.raw)) ?? [] {
            do throws(Errno) {
                try synchronize(directory.raw)
                try eraseFile(in: directory.raw, named: name)
            } catch {
                report(.notErased(fileName: name, error))
            }
        }
    }

    /// Overwrites the old content: it may open with a former passphrase, or with none.
    private func replace(
        _ fileName: String, with bytes: [UInt8], report: (KeyringFinding) -> Void
    ) throws(Errno) {
        let failure = try bytes.span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFileErasingOld(in: directory.raw, named: fileName, with: bytes)
        }
        if let failure { report(.notErased(fileName: fileName, failure)) }
    }
}
