// Acting for another user on a single thread, with raw system calls: glibc's wrappers change the
// whole process.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Makes this thread create files as `user` and `group`, while ignoring permissions (the kernel has
/// already checked the caller's). Needs root.
int mam_act_as(uint32_t user, uint32_t group);

/// Restores the daemon's own identity on this thread.
void mam_act_as_self(void);

/// Drops the capabilities that root's daemon never needs, for this thread and its later threads:
/// above all CAP_SYS_RESOURCE, which overrides disk quotas. Programs that it starts as root get the
/// bounding set.
int mam_give_up_capabilities(void);

/// Gives this thread, and threads that it starts later, a umask and a working directory of their
/// own.
int mam_leave_shared_umask(void);

/// Sets the umask of this thread alone, which also gets its own working directory.
int mam_set_thread_umask(uint32_t mask);
