// Process-wide setup: secrets, limits, standard streams.

import CShims
import Glibc
internal import MAMCommandLine
import MAMCrypto
internal import MAMModel
import MAMSystem

/// The process contains secrets: disables core dumps and tracing. It keeps nothing of its starter's
/// but a descriptor.
func protectProcess(keeping wanted: Int32?) {
    closeInherited(except: wanted)
    startCrypto()
    _ = mam_forbid_core_dumps()
    dropUmask()
    raiseDescriptorLimit()
    makeRoomForDescriptors()
    signal(SIGPIPE, SIG_IGN)
    // The parent may have ignored it, which is inherited and would make waitpid(2) lose exit
    // statuses.
    signal(SIGCHLD, SIG_DFL)
    for limit in startersLimits { raise(limit.resource) }
    signal(SIGXFSZ, SIG_IGN)
    wakeOnSignal()
    endAtOnceOnFault()
    _ = mam_give_up_capabilities()
}

/// If Swift's backtracer is installed, its handlers stop all threads and have it write registers,
/// and the memory that they point to, to standard error: that could put keys in a log. It cannot
/// inspect this process anyway.
private func endAtOnceOnFault() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS] {
        signal(number, SIG_DFL)
    }
}

/// All implementations give identical results; tests and benchmarks force one.
func chooseCipher(_ cipher: GCMLibrary?) throws(Failure) {
    guard let cipher, !GCMLibrary.force(cipher) else { return }
    throw Failure(
        "cipher=\(cipher.rawValue): not supported by this processor or the library;"
            + " mount without that option")
}

/// SIGUSR1 interrupts a thread that waits in the kernel; see MountSession.stop(). Without
/// SA_RESTART, which signal(3) would set and which would continue the wait.
private func wakeOnSignal() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR1, &action, nil)
}

/// Each known inode has a descriptor, and a large tree has many.
private func raiseDescriptorLimit() {
    // Root may go up to the kernel's limit (fs.nr_open's default), others up to their hard limit.
    var limit = rlimit(rlim_cur: 1_048_576, rlim_max: 1_048_576)
    if geteuid() == 0, setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0 { return }
    raise(RLIMIT_NOFILE)
}

/// Limits of who mounts, which must not apply to the programs that use the mount, with their names
/// in ulimit(1p).
private var startersLimits: [(resource: __rlimit_resource, name: String)] {
    [
        (RLIMIT_FSIZE, "the size of files (ulimit -f)"), (RLIMIT_CPU, "processor time (ulimit -t)"),
        (RLIMIT_AS, "memory (ulimit -v)"), (RLIMIT_DATA, "memory (ulimit -d)"),
    ]
}

/// Says which of them only an administrator could raise.
func reportLimits(_ report: (String) -> Void) {
    for (resource, name) in startersLimits {
        var limit = rlimit()
        let number = __rlimit_resource_t(resource.rawValue)
        guard getrlimit(number, &limit) == 0, limit.rlim_cur != rlim_t.max else { continue }
        report(
            "a limit of who mounts holds for all programs on the mount: \(name) is at most"
                + " \(limit.rlim_cur)")
    }
}

/// Closes what the starter has left open by mistake: a lock would be held, and a pipe kept from its
/// end, for as long as the daemon runs. What the daemon has opened itself is close-on-exec, and so
/// is what systemd passed.
private func closeInherited(except wanted: Int32?) {
    let numbers = (try? entries(of: ByteString("/proc/self/fd"))) ?? []
    for number in numbers.compactMap({ Int32($0.shown) }) where number > 2 && number != wanted {
        let flags = fcntl(number, F_GETFD)
        if flags >= 0, flags & FD_CLOEXEC == 0 { close(number) }
    }
}

/// Keeps no directory of the starter's busy.
func leaveDirectory() { _ = chdir("/") }

/// To the hard limit.
private func raise(_ resource: __rlimit_resource) {
    let resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
}

/// While a process has one thread, the kernel enlarges its descriptor table at once. Later each
/// doubling waits for all processors (synchronize_rcu) for some milliseconds, in the middle of a
/// request.
private func makeRoomForDescriptors() {
    let last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 16_383)
    if last >= 0 { close(last) }
}

/// For log lines where there is no journal, and for crash output.
func openLogFile(_ state: String) throws(Failure) -> Descriptor {
    let path = "\(state)/mamd.log"
    do throws(Errno) {
        try makeDirectories(state, mode: 0o700)
        return try openFile(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600)
    } catch { throw Failure("\(path) cannot be written: \(error)") }
}

/// Notifies the parent, and detaches from its terminal: standard error goes to `errorFile` from now
/// on.
func announceReady(_ descriptor: Int32?, errorFile: Descriptor?) {
    guard let descriptor else { return }
    if let errorFile, let null = try? openFile("/dev/null", O_RDWR) {
        dup2(null.raw, 0)
        dup2(null.raw, 1)
        dup2(errorFile.raw, 2)
    }
    _ = write(descriptor, "+", 1)
    close(descriptor)
}
