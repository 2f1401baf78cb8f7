// chmod(2), chown(2) and their kin: of files in the workspace alone. Landlock has no rule for them.
#pragma once
#include "containment.h"

#include <linux/seccomp.h>

enum { MAM_MODE_CALLS = 8 };

/// Each of these calls, in libseccomp's numbers.
int mam_mode_call(int index);

/// Whether this is such a call, in the kernel's numbers.
int mam_is_mode_call(int call);

/// Makes the call on behalf of the program that waits at that descriptor: 0, or an errno.
int mam_change_mode(int listener, const struct seccomp_notif *asked,
                    const struct mam_containment *containment);
