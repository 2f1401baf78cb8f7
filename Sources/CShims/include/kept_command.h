// A command below a keeper: a process that stays its ancestor, and that of whatever it leaves
// behind.
#pragma once
#include <stdint.h>

/// Makes the keeper, a child process that waits for mam_keeper_start(). It becomes the reaper of
/// the command's orphans (PR_SET_CHILD_SUBREAPER), and stays for as long as one of them is there.
/// -1 and errno on failure.
///
/// Only in a process with one thread. `connection` is what the other calls want.
int32_t mam_keeper_fork(char *const argv[], int *connection);

/// Starts the command and returns when it has ended; relays signals that come meanwhile, and stops
/// when the command does. Returns its status as wait(2) gives it; -1 and errno if it cannot be
/// started, or if the keeper was killed (ECHILD).
int mam_keeper_start(int connection);

/// Ends this process by a signal, as the command was; with a status if the signal does not.
_Noreturn void mam_end_by_signal(int signal);
