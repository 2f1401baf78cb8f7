// What compliance asks about the machine, as far as local files tell it at once.

internal import Glibc
internal import MAMEnrollment
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMTree

extension FleetReports {
    var machineFacts: MachineStatus.Facts {
        let device = (try? MountTable().mount(of: tree.root.raw))?.device ?? ""
        let words = [osRelease("ID"), osRelease("VERSION_ID")].compactMap(\.self)
        return .init(
            system: words.joined(separator: " "),
            isEncrypted: isEncrypted(blockDevice: "/sys/dev/block/\(device)"),
            // Debian and Ubuntu have it once a package that is in use was replaced.
            needsRestart: access("/run/reboot-required", F_OK) == 0)
    }
}

/// Whether all that is written to a block device is encrypted by dm-crypt, there or below. Nil if
/// sysfs does not tell: a file system without such a device, such as btrfs, or one in a file.
/// `place`: the device's directory in sysfs.
func isEncrypted(blockDevice place: String) -> Bool? {
    guard access("\(place)/dev", F_OK) == 0, access("\(place)/loop", F_OK) != 0 else { return nil }
    let kind = (try? readSmallFile("\(place)/dm/uuid", maximumByteCount: 4096)) ?? []
    // As cryptsetup names what it makes.
    if kind.starts(with: "CRYPT-".utf8) { return true }
    // What is below a partition is below the whole.
    let whole = access("\(place)/partition", F_OK) == 0 ? "\(place)/.." : place
    let below = (try? entries(of: ByteString("\(whole)/slaves"))) ?? []
    guard !below.isEmpty else { return false }
    let found = below.map { isEncrypted(blockDevice: "\(whole)/slaves/\($0.shown)") }
    return found.contains(false) ? false : found.contains(nil) ? nil : true
}
