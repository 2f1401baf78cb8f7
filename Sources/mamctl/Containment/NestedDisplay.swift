// `run --contained --nested`: a display that is the command's alone.

internal import CShims
internal import CSupervisor
internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// A compositor in a window of the session's. It has a clipboard of its own, and ends with the
/// supervisor: that alone keeps the other end of `life`.
struct NestedDisplay {
    /// Its socket, which has no name, so that only the supervisor can connect to it.
    let display: Descriptor
    let life: Descriptor

    /// Weston can be given its sockets, and offers its clients neither the clipboard without focus
    /// (data-control) nor pictures of the screen. It needs no X server, and starts none.
    private static let command = [
        "weston", "--backend=wayland-backend.so", "--shell=kiosk-shell.so",
        "--modules=systemd-notify.so", "--no-config", "--idle-time=0", "--log=/dev/null",
    ].map { ByteString($0) }
    private static let patience: Int32 = 20_000

    /// Starts the compositor. The calling process must have one thread.
    init() throws(Failure) {
        guard let path = SessionDisplay.wayland.first,
            let runtime = SessionDisplay.runtimeDirectory
        else {
            throw Failure(
                .failure,
                "--nested needs a session on Wayland: WAYLAND_DISPLAY or XDG_RUNTIME_DIR is not"
                    + " set",
                next: "log in to a session on Wayland, or leave --nested out")
        }
        guard place(ofProgram: Self.command[0]) != nil else {
            throw Failure(
                .failure, "--nested needs the compositor weston, which is not installed",
                next: "sudo apt-get install weston")
        }
        let session = try naming(
            path, Descriptor(owning: try retrying { mam_display_connect(path.cString) }))
        let name = runtime.appending(ByteString("mamd-nested-\(getpid())"))
        var place: Int32 = -1
        let listener = try naming(
            name, Descriptor(owning: try retrying { mam_display_listen(name.cString, &place) }))
        display = Descriptor(owning: place)
        do throws(Errno) {
            life = try Self.start(session, listener)
        } catch { throw Failure(Self.command[0], error) }
        guard mam_compositor_answers(life.raw, Self.patience) != 0 else {
            throw Failure(
                .failure, "the compositor weston did not start, or does not answer",
                next: "see what it says: weston --backend=wayland-backend.so")
        }
    }

    /// What the session's display is called, for programs that find it by themselves.
    func enter() {
        for variable in ["DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY"] { unsetenv(variable) }
        // Those that know both would look for an X server first.
        setenv("XDG_SESSION_TYPE", "wayland", 1)
    }

    private static func start(
        _ session: Descriptor, _ listener: Descriptor
    ) throws(Errno) -> Descriptor {
        var pair: (Int32, Int32) = (-1, -1)
        _ = try retrying { mam_display_pair(&pair.0, &pair.1) }
        let (own, its) = (Descriptor(owning: pair.0), Descriptor(owning: pair.1))
        let rules = ContainmentRules(
            workspace: nil, sockets: ContainedSockets(), readable: try ReadablePlaces().all,
            network: .none)
        try withExtendedLifetime((session, listener, its)) { () throws(Errno) in
            _ = try retrying {
                withPointers(command) { command in
                    rules.withRules {
                        mam_compositor_start(command, $0, session.raw, listener.raw, its.raw)
                    }
                }
            }
        }
        return own
    }
}
