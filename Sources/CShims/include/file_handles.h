// name_to_handle_at(2) and open_by_handle_at(2), which Glibc's module does not show.
#pragma once
#include <stdint.h>

/// A `struct file_handle`, of a kind that is no longer than this.
struct mam_file_handle {
    uint32_t count;
    int32_t type;
    uint8_t bytes[32];
};

/// Of what the descriptor refers to, which may be an O_PATH one. EOVERFLOW if the handle is longer.
int mam_file_handle_of(int descriptor, struct mam_file_handle *handle);

/// `mount`: any file of the file system, and no O_PATH descriptor.
int mam_open_file_handle(int mount, const struct mam_file_handle *handle, int flags);
