#include "service.h"

#include <systemd/sd-daemon.h>

int mam_notify_with_descriptor(const char *state, int descriptor) {
    return sd_pid_notify_with_fds(0, 0, state, &descriptor, 1);
}
