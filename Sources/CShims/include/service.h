// systemd's calls that have pid_t in their types: were they imported through <systemd/sd-daemon.h>,
// Swift would take that module for the type's owner.
#pragma once

/// sd_pid_notify_with_fds(3) of this process with one descriptor. Positive if there is a service
/// manager, and it was told.
int mam_notify_with_descriptor(const char *state, int descriptor);
