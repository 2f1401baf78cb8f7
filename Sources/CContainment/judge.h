// Calls whose arguments are numbers alone: nobody can exchange those between the check and the
// call, so the kernel carries them out itself after a yes.
#pragma once
#include "containment.h"

#include <linux/seccomp.h>

/// Whether this is such a call.
int mam_is_judged(int call);

/// 0, or the errno with which it is refused.
int mam_judge(const struct seccomp_notif *asked, const struct mam_containment *containment);
