#define _GNU_SOURCE
#include "file_handles.h"

#include <fcntl.h>
#include <stddef.h>

_Static_assert(offsetof(struct mam_file_handle, bytes) == offsetof(struct file_handle, f_handle) &&
                   offsetof(struct mam_file_handle, type) ==
                       offsetof(struct file_handle, handle_type),
               "what is passed is a struct file_handle");

int mam_file_handle_of(int descriptor, struct mam_file_handle *handle) {
    int mount;
    handle->count = sizeof handle->bytes;
    return name_to_handle_at(descriptor, "", (void *)handle, &mount, AT_EMPTY_PATH);
}

int mam_open_file_handle(int mount, const struct mam_file_handle *handle, int flags) {
    struct mam_file_handle copy = *handle;
    return open_by_handle_at(mount, (void *)&copy, flags | O_CLOEXEC);
}
