// systemd functions with pid_t in their types: if Swift imported them through
// <systemd/sd-daemon.h>, it would take that module for the type's owner.
#pragma once

/// sd_pid_notify_with_fds(3) for this process with one descriptor. Positive if a service manager
/// was notified.
int mam_notify_with_descriptor(const char *state, int descriptor);
