// The daemon's command line. Users run `mamctl mount`; systemd and mount(8) run mamd directly.

import Glibc
import MAMCrypto
import MAMFuse
import MAMModel
import MAMPlaces
import MAMSystem
import MAMWire

struct Arguments {
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

    private var placeCount: Int {
        switch task {
        case .serve, .prepareMount: 2
        case .serveUnmounted, .removeMount: 1
        case .relayLogins: 0
        }
    }

    static let usage = """
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

    init(_ words: [ByteString]) {
        var places: [ByteString] = []
        var rest = words[...]
        var onlyPlaces = false
        func value(of option: String) -> String {
            guard let value = rest.popFirst()?.text else { usageError("\(option) needs a value") }
            return value
        }
        while let word = rest.popFirst() {
            if onlyPlaces || word.bytes.first != UInt8(ascii: "-") || word.bytes.count == 1 {
                places.append(word)
            } else {
                switch word.shown {
                case "--": onlyPlaces = true
                case "-f", "--foreground": isForeground = true
                case "-o": takeMountOptions(value(of: "-o"))
                case "--ready-fd":
                    guard let number = Int32(value(of: "--ready-fd")), number > 2 else {
                        usageError("--ready-fd needs a descriptor above 2")
                    }
                    readyDescriptor = number
                case "--no-mount": task = .serveUnmounted
                case "--prepare-mount": task = .prepareMount
                case "--remove-mount": task = .removeMount
                case "--logins": task = .relayLogins
                case "--version":
                    print("mamd \(productVersion)")
                    exitProcess(.success)
                case "-h", "--help":
                    print(Self.usage)
                    exitProcess(.success)
                default: usageError("unknown option '\(word.shown)'")
                }
            }
        }
        guard places.count == placeCount else {
            usageError(
                ["no directory is", "one directory is", "BACKING and MOUNTPOINT are"][placeCount]
                    + " needed")
        }
        if task != .removeMount, let first = places.first { backing = first }
        if task != .serveUnmounted, let last = places.last { mountPoint = last }
    }

    private mutating func takeMountOptions(_ list: String) {
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
                cipher = Self.cipher(named: option.dropFirst("cipher=".count))
            default: _ = accessTimes.take(option)
            }
        }
    }

    private static func cipher(named name: Substring) -> GCMLibrary {
        guard let cipher = GCMLibrary(rawValue: String(name)) else {
            usageError("cipher=\(name) must be openssl, avx or vaes")
        }
        return cipher
    }
}

func usageError(_ message: String) -> Never {
    printError("\(message); see mamd --help")
    exitProcess(.usage)
}

func printError(_ message: String) {
    let line = "mamd: \(message)\n"
    _ = line.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
}

func exitProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }
