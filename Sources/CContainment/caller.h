// What a thread that waits for the broker's answer has, and names.
#pragma once
#include <sys/types.h>

/// A copy of its descriptor; -1 and errno on failure.
int mam_copy_descriptor(pid_t thread, int number);

/// What the path names for it, O_PATH and `flags`; -1 and errno on failure. `directory`: its
/// descriptor, or AT_FDCWD.
int mam_open_for(pid_t thread, int directory, const char *path, int flags);
