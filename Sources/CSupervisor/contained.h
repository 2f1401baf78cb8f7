// The two halves of starting a contained command, in the child and in the supervisor.
#pragma once
#include "containment.h"

/// Contains this process, which will become the command, and sends the descriptor of its filter
/// over the socket `news`. -1 and errno on failure.
int mam_contain_command(int rules, const struct mam_containment *containment, int news);

/// Receives that descriptor, and answers there from now on. -1 and errno on failure: that of the
/// child if it has sent an errno in place of a descriptor.
int mam_serve_command(int news, const struct mam_containment *containment);
