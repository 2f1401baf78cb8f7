// A command below a supervisor, which stays the ancestor of all processes that it starts.
#pragma once
#include "containment.h"

#include <stdint.h>

/// Forks the supervisor, which waits for mam_supervisor_start(). It reaps the command's orphans
/// (PR_SET_CHILD_SUBREAPER) and exits after the last of them. Returns -1 and sets errno on failure.
///
/// With a containment, the supervisor and all that it starts are contained once this returns.
///
/// The calling process must have one thread. `connection` is for the other calls.
int32_t mam_supervisor_fork(char *const argv[], const struct mam_containment *containment,
                            int *connection);

/// Starts the command and returns when it has ended. Relays signals meanwhile, and stops when the
/// command stops. Returns a wait(2) status; -1 with errno if the command cannot be started, or
/// ECHILD if the supervisor was killed.
int mam_supervisor_start(int connection);

/// Starts the command in a session of its own and returns when it has started: 0, or -1 with errno
/// as above. The command outlives this process.
int mam_supervisor_leave(int connection);

/// Ends this process by a signal; exits with 128 + `signal` if that does not kill it.
_Noreturn void mam_end_by_signal(int signal);
