// The process around the daemon: its secrets, its limits, its standard streams.

import CShims
import Glibc
import MAMCrypto
import MAMSystem

/// Secrets are in this process: nothing of it goes into a core file, and nobody may trace it.
func protectProcess() {
    startCrypto()
    _ = mam_forbid_core_dumps()
    dropUmask()
    raiseDescriptorLimit()
    makeRoomForDescriptors()
    signal(SIGPIPE, SIG_IGN)
    // Whoever starts us may ignore it, and that is inherited: then nobody is told how a program
    // ended.
    signal(SIGCHLD, SIG_DFL)
    // Who mounts may have a limit on the size of files (ulimit -f). It is not for the programs that
    // use the mount.
    raise(RLIMIT_FSIZE)
    signal(SIGXFSZ, SIG_IGN)
    wakeOnSignal()
    endAtOnceOnFault()
    _ = mam_give_up_capabilities()
}

/// Where Swift's backtracer is installed its handlers stop all threads, wait for it, and have it
/// write registers, and the memory that these point to, to standard error: keys, in a log. And it
/// cannot look into this process.
private func endAtOnceOnFault() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS] {
        signal(number, SIG_DFL)
    }
}

/// All implementations write the same bytes; tests and measurements force one of them.
func chooseCipher(_ cipher: GCMLibrary?) throws(StartError) {
    guard let cipher, !GCMLibrary.force(cipher) else { return }
    throw StartError(
        "cipher=\(cipher.rawValue): not supported by this processor or the library; "
            + "mount without that option")
}

/// SIGUSR1 wakes a thread that waits in the kernel; see MountSession.stop(). Without SA_RESTART,
/// which signal(3) sets: the wait would go on.
private func wakeOnSignal() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR1, &action, nil)
}

/// An inode costs a descriptor, and a large tree has many.
private func raiseDescriptorLimit() {
    // Root may go up to the kernel's own limit (fs.nr_open's default), others to their hard one.
    var limit = rlimit(rlim_cur: 1_048_576, rlim_max: 1_048_576)
    if geteuid() == 0, setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0 { return }
    raise(RLIMIT_NOFILE)
}

/// As far as everybody may.
private func raise(_ resource: __rlimit_resource) {
    let resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
}

/// While a process has one thread the kernel enlarges its table of descriptors at once. Later it
/// waits for all processors (synchronize_rcu), some milliseconds at each doubling, in the middle of
/// somebody's first look at a directory.
private func makeRoomForDescriptors() {
    let last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 16_383)
    if last >= 0 { close(last) }
}

/// Where lines go when there is no journal, and what a crash leaves.
func openLogFile(_ state: String) throws(StartError) -> Descriptor {
    let path = "\(state)/mamd.log"
    do throws(Errno) {
        try makeDirectories(state, mode: 0o700)
        return try openFile(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600)
    } catch { throw StartError("\(path) cannot be written: \(error)") }
}

/// Tells who started us, and lets go of its terminal: what goes to standard error from now on goes
/// to `errorFile`.
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
