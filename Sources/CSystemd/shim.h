#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

/// sd_pid_notify_with_fds(3) for this process with one descriptor. Positive if a service manager
/// was notified. In C, for Swift would take this module for the owner of pid_t.
static inline int mam_notify_with_descriptor(const char *state, int descriptor) {
    return sd_pid_notify_with_fds(0, 0, state, &descriptor, 1);
}
