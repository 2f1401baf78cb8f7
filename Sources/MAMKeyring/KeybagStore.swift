// Keybags on disk: two copies each, never both in danger.

internal import Glibc
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// The directory `keybags/`. Nothing is ever removed from it but unfinished files and the keybags
/// of wiped accounts.
struct KeybagStore: Sendable {
    static let directoryName = AccountFile.keybag.directory
    private static let suffix = ".keybag"
    private static let copySuffix = ".keybag.copy"

    let directory: Descriptor

    /// What was found under one account's name.
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

    /// Reads all accounts but some, repairs what one good copy allows, and tells what it did.
    ///
    /// `known`: accounts that are in memory, each as good as a copy. `mayRepair`: false to write
    /// nothing and only tell.
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

    /// Writes both copies, one after the other, so that one is whole at any moment.
    ///
    /// Throws only if the old content is still in place. From here on the new content is what
    /// counts, for the next load too; false if it may not survive a crash, which is reported.
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
            // The rename may have happened, and the sync of the directory failed.
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

    /// Why an account with this id cannot come here; nil if it has no file, whatever is in it.
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

    /// Destroys both copies of an account's keybag, and what interrupted changes left of it.
    ///
    /// One that cannot be destroyed keeps none of the others. Throws if one may still be there, on
    /// disk or in the directory, or come back with a crash.
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
        // A version that we do not know may hold what we cannot carry over: leave both alone.
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

    /// The copy whose error says more: a file that is there rather than one that is missing.
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

    /// The accounts that have a file, by the 32 digits in its name.
    private func accountNames() throws(Errno) -> [String] {
        let names = try entries(of: directory.raw).compactMap(\.text).compactMap {
            name -> String? in
            guard let end = name.firstIndex(of: "."),
                [Self.suffix, Self.copySuffix].contains(String(name[end...]))
            else { return nil }
            let digits = String(name[..<end])
            // Only what we write ourselves: lower case too.
            return Bytes16(hex: digits)?.description == digits ? digits : nil
        }
        return Set(names).sorted()
    }

    /// They hold wrapped keys, which must not outlive a wiped account. One may have a keybag's name
    /// again after a crash, until the directory is synced.
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

    /// The old content is overwritten: it may open under a passphrase that is no more, or under
    /// none.
    private func replace(
        _ fileName: String, with bytes: [UInt8], report: (KeyringFinding) -> Void
    ) throws(Errno) {
        let failure = try bytes.span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFileErasingOld(in: directory.raw, named: fileName, with: bytes)
        }
        if let failure { report(.notErased(fileName: fileName, failure)) }
    }
}
