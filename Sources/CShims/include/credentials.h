// Acting for another user on one thread only, with raw system calls: glibc's wrappers change the
// whole process.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Creates files as `user` and `group` from now on, on this thread, keeping the right to go through
/// directories and modes (the kernel has already checked the caller's). Needs root.
int mam_act_as(uint32_t user, uint32_t group);

/// Back to the daemon's own identity on this thread.
void mam_act_as_self(void);

/// Gives up what root's daemon never needs, for this thread and those that it makes: above all
/// CAP_SYS_RESOURCE, which no quota of a disk holds for. Programs that it starts as root get what
/// the bounding set has.
int mam_give_up_capabilities(void);

/// From now on umask(2) is of this thread alone, and of those that it makes after this; so is its
/// working directory.
int mam_leave_shared_umask(void);

/// umask(2) of this thread alone; its working directory is its own from then on too.
int mam_set_thread_umask(uint32_t mask);
