// A bundle's data on a running workspace: its daemon's replies, its mount, and the disk below.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Queries one daemon and replaces names.
struct DaemonDiagnostics {
    let daemon: Daemon
    let names: Pseudonyms

    var members: [String: JSONValue] {
        guard let status = try? daemon.status() else { return ["daemon": "it does not answer"] }
        // Makes the daemon flush its audit records: their files are read after this.
        try? daemon.stream(Varlink.Audit.List(limit: 0)) { _ in true }
        for account in status.accounts {
            names.learn(account.name, alsoCalled: [account.objectID, account.id])
        }
        return [
            "status": self.status(status), "mount": mount(at: status.mountPoint),
            "policies": .array(status.accounts.map(policy)),
            "metrics": JSONValue(try? daemon.call(Varlink.Policy.Metrics()).text),
            "disk": disk(below: status.backingDirectory),
            "unit": unit,
        ]
    }

    private func status(_ report: StatusReport) -> JSONValue {
        var members = report.members
        members["name"] = names.name(.workspace, members["name"])
        members["backingDirectory"] = names.name(.path, members["backingDirectory"])
        members["mountPoint"] = names.name(.path, members["mountPoint"])
        members["id"] = nil
        members["accounts"] = .array(report.accounts.map(account))
        return .object(members)
    }

    private func account(_ report: AccountReport) -> JSONValue {
        var members = report.members
        members["name"] = names.name(.account, members["name"])
        for name in ["id", "objectId"] { members[name] = nil }
        members["policies"] = members["policies"]?.array.map { policies in
            .array(policies.map { names.name(.document, $0) })
        }
        // The sentence may contain names; the block's kind does not.
        if !names.showsNames { members["blockReason"] = nil }
        return .object(members)
    }

    private func policy(of account: AccountReport) -> JSONValue {
        guard let policy = try? daemon.call(Varlink.Policy.Show(account: account.name)) else {
            return .null
        }
        return [
            "account": .string(names.name(.account, account.name)),
            "managed": .bool(policy.managed),
            "rules": .object((policy.rules.object ?? [:]).mapValues(rule)),
            "documents": .array(policy.documents.map { names.name(.document, $0.file.json) }),
            "refused": JSONValue(policy.refused.count),
            "warnings": JSONValue(policy.warnings.count),
        ]
    }

    private func rule(_ value: JSONValue) -> JSONValue {
        shownValue(value.object?["value"] ?? .null)
    }

    private func mount(at place: String) -> JSONValue {
        guard let mounts = try? MountTable(), let mount = mounts.mount(at: Array(place.utf8))
        else { return .null }
        let number = mount.device.split(separator: ":").last.map(String.init) ?? ""
        let limits = ["max_background", "congestion_threshold", "waiting"].map { name in
            (name, JSONValue(firstLine(of: "/sys/fs/fuse/connections/\(number)/\(name)")))
        }
        return .object(
            Dictionary(limits) { $1 }.merging([
                "type": .string(mount.type), "options": .string(mount.options),
            ]) { $1 })
    }

    private func disk(below path: String) -> JSONValue {
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return .null }
        return [
            "blockSize": JSONValue(space.f_frsize), "blocks": JSONValue(space.f_blocks),
            "available": JSONValue(space.f_bavail), "inodes": JSONValue(space.f_files),
            "inodesFree": JSONValue(space.f_ffree),
        ]
    }

    private var unit: JSONValue {
        guard access("/run/systemd/system", F_OK) == 0 else { return "systemd does not run" }
        let text = output(
            of: UnitNames.systemctl + [
                "show", "mamd@\(daemon.name).service", "--property",
                "LoadState,ActiveState,SubState,Result,NRestarts",
            ])
        return JSONValue(text.map { String(decoding: $0, as: UTF8.self) })
    }
}
