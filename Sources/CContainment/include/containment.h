// What a contained program may do outside its workspace: Landlock decides about files, a seccomp
// filter about system calls, and a broker in the parent process about connections.
#pragma once
#include <stdint.h>
#include <sys/types.h>

enum mam_network { MAM_NETWORK_NONE, MAM_NETWORK_PORTS, MAM_NETWORK_ANY };

struct mam_containment {
    /// Files may be created and changed beneath this directory alone; NULL: nowhere.
    const char *workspace;
    /// Ends with NULL. Devices that may be written to and controlled; those that do not exist are
    /// left out.
    const char *const *devices;
    /// Ends with NULL. Where files may be read as well: beneath these, links not followed.
    const char *const *readable;
    /// Sockets that programs may connect to; O_PATH, so that nobody can exchange them. -1: none.
    int sound, wayland, x11;
    enum mam_network network;
    /// With MAM_NETWORK_PORTS: the TCP ports that programs may connect to.
    const uint16_t *ports;
    uint32_t port_count;
    /// A socket that programs may connect to as well; O_PATH, so that it needs no name. -1: none.
    int display;
    /// A connection to the program that listens there, which ends with that program. -1: none.
    int compositor;
    /// The socket of the print service, asked about at each connection to it.
    const char *printer;
    int (*may_print)(const struct mam_containment *containment);
    /// Asked at each connection that the rules above allow; the TCP or UDP port, or -1.
    int (*may_connect)(const struct mam_containment *containment, int port);
    /// Asked at each connection to the daemon: whether it knows that this process is contained.
    int (*may_join)(const struct mam_containment *containment);
    /// Whom these ask: the daemon's socket, which programs may connect to, too, and which a new
    /// daemon makes anew; for whom, and for which command.
    const char *daemon, *account, *program;
    /// The number of the workspace's file system, as in /proc/self/mountinfo.
    const char *file_system;
    /// Of mam_watch_workspace(). -1: none.
    int watch;
    /// Asked when the kernel's mount table has changed: whether Landlock takes another file system
    /// for the workspace.
    int (*is_covered)(const struct mam_containment *containment);
    /// Told what was refused, in a word that the daemon knows.
    void (*note)(const struct mam_containment *containment, const char *what);
};

/// A ruleset with the containment's rules: a descriptor; -1 and errno on failure.
int mam_landlock_rules(const struct mam_containment *containment);

/// Puts the calling thread into a Landlock domain within the one that it is in. Sets no_new_privs.
int mam_landlock_enter(int rules);

/// Gives up the capabilities that lead past the rules. Those left concern files.
int mam_drop_capabilities(void);

/// Filters the system calls of the calling thread, for good. Returns the descriptor at which
/// connect(2), bind(2), listen(2) and others wait for the broker; -1 and errno on failure.
int mam_filter_calls(const struct mam_containment *containment);

/// Opens the directory (O_PATH): a descriptor; -1 and errno on failure, which is ESTALE if it is in
/// another file system than the one with that number, as in /proc/self/mountinfo.
int mam_open_workspace(const char *workspace, const char *file_system);

/// Whether a file with this device is in the file system with that number.
int mam_is_in(dev_t device, const char *file_system);

/// Watches for the end of the workspace's file system: a descriptor; -1 and errno on failure, as
/// with mam_open_workspace().
int mam_watch_workspace(const char *workspace, const char *file_system);

/// Whether it has been unmounted: its number may be another one's by now.
int mam_has_ended(const struct mam_containment *containment);

/// Kills all that descends from this process, which is in its Landlock domain. Before version 6 of
/// Landlock nothing is forked from then on, and what is not found yet is killed the next time.
void mam_kill_descendants(void);

/// Answers at that descriptor, which it takes over, on threads of its own, until the last filtered
/// process has ended. -1 and errno on failure.
int mam_broker_start(int listener, const struct mam_containment *containment);
