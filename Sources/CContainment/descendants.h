// What descends from this process, as /proc has it.
#pragma once
#include "containment.h"

#include <sys/types.h>

/// A number in /proc/THREAD/status, such as "Tgid: %d"; -1 if there is no such thread.
pid_t mam_number_of(pid_t thread, const char *format);

/// Whether the process does. All that the command starts stays below the supervisor, which is not
/// below itself.
int mam_is_descendant(pid_t process);

/// False once they are being killed one by one.
int mam_may_fork(void);
