// INIT: accepts offers of the kernel that libfuse 3.14 does not know.
#include <stddef.h>

#include "context.h"

// Parallel look-ups in a directory, and no capability request at each write(2).
enum { WANTED = FUSE_PARALLEL_DIROPS | FUSE_HANDLE_KILLPRIV_V2 };

// Missing in Debian 12's <linux/fuse.h>: bits 36 and 41 overall, in `flags2`.
enum { DIRECT_IO_ALLOW_MMAP = 1 << 4, OVER_IO_URING = 1 << 9 };

// With less a request may not fit into a ring's buffer, which crashes kernels up to 6.18: the
// largest request other than a write sets an attribute of 64 KiB.
enum { SMALLEST_PAYLOAD = 128 * 1024, PAGE = 4096 };

void init_note_offer(struct init *init, const struct fuse_in_header *head) {
        const struct fuse_init_in *in = (const void *)(head + 1);

        if (head->len < sizeof *head + offsetof(struct fuse_init_in, flags) + sizeof in->flags)
                return;
        init->offered = in->flags;
        init->offered_more = 0;
        if (head->len >= sizeof *head + sizeof *in && in->flags & FUSE_INIT_EXT)
                init->offered_more = in->flags2;
        atomic_store(&init->unique, head->unique);
}

bool init_is_answer(const struct init *init, const struct iovec *parts, int count) {
        const struct fuse_out_header *head = parts[0].iov_base;
        const uint64_t unique = atomic_load_explicit(&init->unique, memory_order_relaxed);

        if (unique == 0 || head->unique != unique || head->error != 0)
                return false;
        return count == 2 && parts[1].iov_len == sizeof(struct fuse_init_out);
}

bool init_may_use_rings(const struct init *init) {
        const int state = atomic_load(&init->ring_state);

        return init->uses_ring && (state == MAM_RING_UNASKED || state == MAM_RING_USED);
}

bool init_maps_direct(const struct init *init) {
        return init->offered_more & DIRECT_IO_ALLOW_MMAP;
}

static bool settle(struct init *init, enum mam_ring_state state, int error) {
        atomic_store(&init->ring_error, error);
        atomic_store(&init->ring_state, state);
        return state == MAM_RING_USED;
}

// The kernel's interpretation of the reply.
static size_t payload_of(const struct fuse_init_out *out) {
        const size_t pages = (size_t)out->max_pages * PAGE;

        return pages > out->max_write ? pages : out->max_write;
}

static bool prepare_ring(struct mam_transport *transport, int device,
                         const struct fuse_init_out *out) {
        struct init *init = &transport->init;
        int error;

        if (!init->uses_ring)
                return false;
        if (!(init->offered_more & OVER_IO_URING))
                return settle(init, MAM_RING_NOT_OFFERED, 0);
        if (out->max_write < SMALLEST_PAYLOAD || !(out->flags & FUSE_INIT_EXT))
                return settle(init, MAM_RING_SMALL, 0);
        atomic_store(&init->payload, (int64_t)payload_of(out));
        error = rings_prepare(&transport->rings, device, payload_of(out));
        return settle(init, error ? MAM_RING_FAILED : MAM_RING_USED, error);
}

static void accept_offer(const struct init *init, struct fuse_init_out *out, bool has_ring) {
        out->flags |= init->offered & WANTED;
        if (out->flags & FUSE_INIT_EXT)
                out->flags2 |= init->offered_more & DIRECT_IO_ALLOW_MMAP;
        // No limit: the kernel uses the minimum of this and the mount's backing device setting,
        // which root may raise.
        out->max_readahead = UINT32_MAX;
        if (has_ring)
                out->flags2 |= OVER_IO_URING;
}

// Everything about the rings that can fail is done before the kernel is told about them: from then
// on every request waits for them.
ssize_t init_answer(struct mam_transport *transport, int device, const struct iovec *parts) {
        struct init *init = &transport->init;
        struct fuse_init_out *out = parts[1].iov_base;
        bool has_ring;
        ssize_t sent;

        atomic_store(&init->unique, 0);
        has_ring = prepare_ring(transport, device, out);
        accept_offer(init, out, has_ring);
        sent = writev(device, parts, 2);
        if (has_ring && sent > 0) {
                const int error = rings_register(&transport->rings);

                if (error)
                        settle(init, MAM_RING_FAILED, error);
        }
        if (init->begun)
                init->begun(transport->owner);
        return sent;
}
