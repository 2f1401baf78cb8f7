// `setup`: systemd mounts the workspace at each login, or at each start of the machine.

internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMWire

struct SetupService {
    let name: WorkspaceName

    private var systemctl: [String] { UnitNames.systemctl }

    /// A manager answers, and knows mamd's units.
    var isOffered: Bool {
        output(of: systemctl + ["cat", "mamd@\(name).service"]) != nil
            && output(of: systemctl + ["show-environment"]) != nil
    }

    /// Mounts it from now on, and now, if it is not mounted by hand.
    func enable(mounting: Bool) throws(Failure) {
        let unit = "mamd@\(name).service"
        let command = systemctl + ["enable"] + (mounting ? ["--now"] : []) + [unit]
        guard output(of: command) == nil else {
            if let backing = Places.current.record(of: name)?.backing {
                UnitNames(of: name).follow(diskOf: backing)
            }
            return
        }
        throw Failure(
            .failure, "\(unit) cannot be started",
            next: "\(systemctl.joined(separator: " ")) status \(unit), then mamctl setup again")
    }
}
