// name_to_handle_at(2) and open_by_handle_at(2), missing in Swift's Glibc module.
#pragma once
#include <stdint.h>

/// A `struct file_handle` with room for handles of up to this length.
struct mam_file_handle {
    uint32_t count;
    int32_t type;
    uint8_t bytes[32];
};

/// The handle of the descriptor's file, which may be opened with O_PATH. EOVERFLOW if it is longer.
int mam_file_handle_of(int descriptor, struct mam_file_handle *handle);

/// `mount`: any file of the file system, not an O_PATH descriptor.
int mam_open_file_handle(int mount, const struct mam_file_handle *handle, int flags);
