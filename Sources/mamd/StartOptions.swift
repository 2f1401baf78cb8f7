// The daemon's command line. Users run `mamctl mount`; systemd and mount(8) run mamd directly.

import Glibc
import MAMCommandLine
import MAMCrypto
import MAMFuse
import MAMModel
import MAMPlaces
import MAMSystem
import MAMWire

struct StartOptions {
    var backing = ByteString("")
    var mountPoint = ByteString("")
    /// Written to and closed once the mount serves.
    var readyDescriptor: Int32?
    var isForeground = false
    var allowOther: Bool?
    var isReadOnly = false
    var forbidsPrograms = false
    var accessTimes = AccessTimes()
    var rings = RingUse.whereOffered
    var shutting = Shutting.unchanged
    /// Nil for the fastest on this processor.
    var cipher: GCMLibrary?
    var task = Task.serve

    enum Task {
        case serve
        /// Serves only the socket.
        case serveUnmounted
        /// Mounts, and passes the mount to the service's next process.
        case prepareMount
        /// Removes the mount of a stopped daemon.
        case removeMount
        /// Relays logind's signals to another daemon.
        case relayLogins

        var placeCount: Int {
            switch self {
            case .serve, .prepareMount: 2
            case .serveUnmounted, .removeMount: 1
            case .relayLogins: 0
            }
        }
    }

    func log(of workspace: WorkspaceName, orFile file: Descriptor) -> Log {
        isForeground
            ? .toStandardError(prefix: "mamd")
            : .toJournal(prefix: "mamd", workspace: workspace.description, orFile: file)
    }

    var mountOptions: MountOptions {
        MountOptions(
            // Root's daemon serves every user; a user's own daemon serves only that user.
            letsOthersIn: allowOther ?? (geteuid() == 0), isReadOnly: isReadOnly,
            forbidsPrograms: forbidsPrograms, accessTimes: accessTimes, rings: rings)
    }

    init(_ arguments: Arguments) throws(Failure) {
        isForeground = arguments.has("foreground")
        for list in arguments.values("options") { try takeMountOptions(list.wireText) }
        if let number = arguments.value("ready-fd")?.text {
            guard let number = Int32(number), number > 2 else {
                throw .usage("--ready-fd needs a descriptor above 2")
            }
            readyDescriptor = number
        }
        let tasks: [(String, Task)] = [
            ("no-mount", .serveUnmounted), ("prepare-mount", .prepareMount),
            ("remove-mount", .removeMount), ("logins", .relayLogins),
        ]
        task = tasks.first { arguments.has($0.0) }?.1 ?? .serve
        let places = arguments.operands
        guard places.count == task.placeCount else {
            throw .usage(
                ["no directory is", "one directory is", "BACKING and MOUNTPOINT are"][
                    task.placeCount] + " needed")
        }
        if task != .removeMount, let first = places.first { backing = first }
        if task != .serveUnmounted, let last = places.last { mountPoint = last }
    }

    private mutating func takeMountOptions(_ list: String) throws(Failure) {
        for option in list.split(separator: ",") {
            switch option {
            case "ro": isReadOnly = true
            case "noexec": forbidsPrograms = true
            case "allow_other": allowOther = true
            case "no_allow_other": allowOther = false
            case "shut": shutting = .asked
            case "no_shut": shutting = .undone
            case "io_uring": rings = .asked
            case "no_io_uring": rings = .never
            case _ where option.hasPrefix("cipher="):
                cipher = try Self.cipher(named: option.dropFirst("cipher=".count))
            default: _ = accessTimes.take(option)
            }
        }
    }

    private static func cipher(named name: Substring) throws(Failure) -> GCMLibrary {
        guard let cipher = GCMLibrary(rawValue: String(name)) else {
            throw .usage("cipher=\(name) must be openssl, avx or vaes")
        }
        return cipher
    }
}

private let usage = """
    Usage: mamd [-f] [-o OPTION[,OPTION]…] [--ready-fd N] BACKING MOUNTPOINT
           mamd [-f] [-o ro] [--ready-fd N] --no-mount BACKING
           mamd [-o OPTION[,OPTION]…] --prepare-mount BACKING MOUNTPOINT
           mamd --remove-mount MOUNTPOINT
           mamd --logins

    Serves the workspace in BACKING at MOUNTPOINT until it is unmounted or gets SIGTERM.
    People use `mamctl mount`, which starts this program and waits for it.

      -f              log to standard error, not to the journal
      -o OPTION       ro, noexec, allow_other, no_allow_other, noatime, nodiratime,
                      relatime, strictatime, io_uring, no_io_uring,
                      cipher=openssl|avx|vaes, shut, no_shut;
                      others of mount(8) are accepted and ignored
      --ready-fd N    write '+' to descriptor N when the mount serves, and close it
      --no-mount      serve the socket alone, for `mamctl verify`, until SIGTERM or until
                      the other end of the --ready-fd is closed; with -o ro nothing is
                      written, but wrong passphrases are counted
      --prepare-mount make the mount, and give it to systemd for the daemon, which then
                      needs no rights to mount
      --remove-mount  take away the mount of a daemon that has ended
      --logins        tell the daemon at standard input and output what systemd-logind says
      --version       print the version
      -h, --help      print this
    """

private let syntax = Syntax(options: [
    Option("foreground", short: "f"), Option("options", short: "o", value: ""),
    Option("ready-fd", value: ""), Option("no-mount"), Option("prepare-mount"),
    Option("remove-mount"), Option("logins"), Option("version"), .help,
])

extension Failure {
    fileprivate static func usage(_ text: String) -> Failure {
        Failure(.usage, .verbatim("\(text); see mamd --help"))
    }

    fileprivate init(_ misuse: Misuse) {
        switch misuse {
        case .noValue(let flag, _): self = .usage("\(flag) needs a value")
        case .unknownOption(let word), .unwantedValue(_, let word), .extraOperand(let word):
            self = .usage("unknown option '\(word.shown)'")
        case .tooFewOperands: self = .usage("a directory is needed")
        }
    }
}

func runProgram(_ words: [ByteString]) -> ExitStatus {
    do throws(Failure) {
        let arguments: Arguments
        do throws(Misuse) { arguments = try Arguments(words[...], syntax) } catch {
            throw Failure(error)
        }
        if arguments.has("version") {
            printOut(verbatim: "mamd \(productVersion)")
        } else if arguments.has(.help) {
            printOut(verbatim: usage)
        } else {
            return runDaemon(try StartOptions(arguments))
        }
        return .success
    } catch {
        complain(error.message.english)
        return error.status
    }
}

/// To who starts it.
func complain(_ text: String) { printError(verbatim: "mamd: \(text)") }
