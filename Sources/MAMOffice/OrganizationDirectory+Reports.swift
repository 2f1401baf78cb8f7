// What machines have sent, in the organisation's directory. Nothing in it is believed because of
// where it stands.

internal import Glibc
internal import MAMFleet
internal import MAMModel
internal import MAMSystem

extension OrganizationDirectory {
    package static let statuses = "reports/status"
    package static let records = "reports/records"
    package static let audits = "reports/audit"

    func statusFile(_ id: MachineID) -> String { "\(Self.statuses)/\(id).json" }
    func auditFile(_ id: MachineID) -> String { "\(Self.audits)/\(id).jsonl" }
    func recordFile(_ id: MachineID, _ account: Bytes16) -> String {
        "\(Self.records)/\(id)/\(account).json"
    }

    /// The content of a file, or why it does not count; nil if there is no such file.
    func reading<Value>(
        _ name: String, atMost limit: Int, _ parse: ([UInt8]) throws(Refusal) -> Value
    ) -> Result<Value, UnusableFile>? {
        do throws(Failure) { return .success(try read(name, atMost: limit, parse)) } catch {
            if error.reason == .system(.noEntry) { return nil }
            return .failure(UnusableFile(name: name, reason: error.reason.clause))
        }
    }

    /// A report that the machine has signed.
    func report(
        _ name: String, of machine: RegisteredMachine, in organization: Bytes16
    ) -> Result<MachineReport, UnusableFile>? {
        reading(name, atMost: ReportEnvelope.maximumByteCount) { bytes throws(Refusal) in
            try MachineReport(
                ReportEnvelope(parsing: bytes), of: machine.machine, by: machine.publicKey,
                in: organization)
        }
    }

    package func registered(_ name: String) -> Result<RegisteredMachine, UnusableFile>? {
        reading(name, atMost: RegisteredMachine.maximumByteCount) { bytes throws(Refusal) in
            let entry = try RegisteredMachine(parsing: bytes)
            guard name == machineFile(entry.machine) else {
                throw .malformed("it is the entry of another machine, \(entry.machine)")
            }
            return entry
        }
    }
}

/// A file that does not count, by its name in the directory, and why, as text for people.
package struct UnusableFile: Error, Equatable {
    package let name: String
    package let reason: String
}

extension OrganizationDirectory.Failure.Reason {
    var clause: String {
        switch self {
        case .system(let error): "\(error)"
        case .refusal(let refusal): "\(refusal)"
        case .exposed: "others may read it"
        }
    }
}

/// The names below several directories, and those that cannot be listed.
struct Listing {
    private(set) var names: [String] = []
    private(set) var unusable: [UnusableFile] = []

    init(_ directory: OrganizationDirectory, _ place: String, suffix: String = ".json") {
        do throws(OrganizationDirectory.Failure) {
            names = try directory.files(below: place, suffix: suffix)
        } catch { unusable = [UnusableFile(name: place, reason: "it cannot be listed")] }
    }

    /// What `read` makes of each file, in no order: it returns nil for one that is gone.
    mutating func contents<Value: Sendable>(
        _ read: @escaping @Sendable (String) -> Result<Value, UnusableFile>?
    ) -> [Value] {
        var found: [Value] = []
        for result in inParts(names, read) {
            switch result {
            case nil: continue
            case .success(let value): found.append(value)
            case .failure(let file): unusable.append(file)
            }
        }
        return found
    }
}

/// The part of a name between the last slash and the suffix.
func stem(_ name: String, _ suffix: String = ".json") -> String {
    String(name.split(separator: "/").last?.dropLast(suffix.count) ?? "")
}

/// Maps parts of a list side by side; the results are in no order.
func inParts<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) -> Value
) -> [Value] {
    let count = max(1, min(8, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    guard count > 1, elements.count >= 64 else { return elements.map(body) }
    let size = (elements.count + count - 1) / count
    let parts = stride(from: 0, to: elements.count, by: size).map {
        elements[$0..<Swift.min($0 + size, elements.count)]
    }
    return sideBySide(parts, named: "survey") { $0.map(body) }.flatMap(\.self)
}
