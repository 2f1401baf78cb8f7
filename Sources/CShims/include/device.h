// What comes from the FUSE device before libfuse sees it, and what goes back (see CFuse3, mam_use_device).
#pragma once
#include <stdint.h>

/// Threads that wait for a request.
int64_t mam_device_waiting_count(void);

/// Requests taken so far.
int64_t mam_device_request_count(void);
