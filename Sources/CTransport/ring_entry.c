// A ring entry: its buffers, and the commands that pass them between kernel and daemon.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "rings.h"

// Missing in Debian 12's <linux/fuse.h>.
enum { FUSE_IO_URING_REGISTER = 1, FUSE_IO_URING_COMMIT_AND_FETCH = 2 };

struct ring_command {
        uint64_t flags, commit;
        uint16_t queue;
        uint8_t padding[6];
};

_Static_assert(sizeof(struct ring_header) == 288 && sizeof(struct ring_command) == 24,
               "as the kernel has them");

enum { PAGE = 4096, MAXIMUM_FAILURES = 3 };

// What completed.
enum { REQUEST = 1, STOP = 2 };

static bool map_buffer(struct ring_worker *worker) {
        const size_t size = PAGE + worker->rings->payload_size;
        const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        char *buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, kind, -1, 0);

        if (buffer == MAP_FAILED)
                return false;
        // No huge pages: most entries are rarely used, and should not take memory before.
        madvise(buffer, size, MADV_NOHUGEPAGE);
        madvise(buffer, size, MADV_DONTDUMP);
        worker->buffer = buffer;
        worker->header = (struct ring_header *)buffer;
        worker->payload = buffer + PAGE;
        worker->parts[0] = (struct iovec){worker->header, sizeof *worker->header};
        worker->parts[1] = (struct iovec){worker->payload, worker->rings->payload_size};
        return true;
}

bool ring_entry_open(struct ring_worker *worker) {
        return io_ring_open(&worker->ring) && map_buffer(worker);
}

void ring_entry_close(struct ring_worker *worker) {
        io_ring_close(&worker->ring);
        if (worker->buffer)
                munmap(worker->buffer, PAGE + worker->rings->payload_size);
        worker->buffer = NULL;
}

static void add_command(struct ring_worker *worker, uint32_t operation, uint64_t commit) {
        const struct ring_command detail = {.commit = commit, .queue = (uint16_t)worker->queue};
        struct io_uring_sqe *entry = io_ring_add(&worker->ring, IORING_OP_URING_CMD,
                                                 worker->rings->device, REQUEST);

        entry->cmd_op = operation;
        if (operation == FUSE_IO_URING_REGISTER) {
                entry->addr = (uint64_t)(uintptr_t)worker->parts;
                entry->len = 2;
        }
        memcpy(entry->cmd, &detail, sizeof detail);
}

static void add_stop(struct ring_worker *worker) {
        struct io_uring_sqe *entry = io_ring_add(&worker->ring, IORING_OP_POLL_ADD,
                                                 worker->rings->stop_event, STOP);

        entry->poll32_events = POLLIN;
}

static const struct io_uring_cqe *completed_request(const struct ring_worker *worker) {
        struct io_uring_cqe *found;

        for (unsigned i = 0; (found = io_ring_completion(&worker->ring, i)); i++)
                if (found->user_data == REQUEST)
                        return found;
        return NULL;
}

// The kernel checks an entry when it takes it: a refusal completes at once.
bool ring_entry_register(struct ring_worker *worker) {
        const struct io_uring_cqe *found;

        add_stop(worker);
        add_command(worker, FUSE_IO_URING_REGISTER, 0);
        if (!io_ring_submit(&worker->ring))
                return false;
        found = completed_request(worker);
        if (!found || found->res == 0)
                return true;
        errno = -found->res;
        return false;
}

static bool is_to_be_sent_again(int result) {
        return result == -EAGAIN || result == -EINTR;
}

// The kernel copied the reply when it took the commit. What it writes there next is another
// program's request.
static void erase(struct ring_worker *worker) {
        const struct io_uring_cqe *next = completed_request(worker);
        size_t used;

        if (next && is_to_be_sent_again(next->res))
                return;
        used = next && next->res == 0 ? worker->header->entry.payload : 0;
        if (used < worker->plain_size)
                explicit_bzero(worker->payload + used, worker->plain_size - used);
        worker->plain_size = 0;
}

bool ring_entry_commit(struct ring_worker *worker, uint64_t unique) {
        add_command(worker, FUSE_IO_URING_COMMIT_AND_FETCH, unique);
        if (worker->plain_size == 0)
                return true;
        if (!io_ring_submit(&worker->ring))
                return false;
        erase(worker);
        return true;
}

// Unmounted or aborted.
static bool is_end(int result) {
        return result == -ENOTCONN || result == -ECONNABORTED || result == -ECANCELED;
}

bool ring_entry_fetch(struct ring_worker *worker, uint64_t unique) {
        for (int failures = 0;;) {
                struct io_uring_cqe *found = io_ring_completion(&worker->ring, 0);
                uint64_t purpose;
                int result;

                if (!found) {
                        if (!io_ring_enter(&worker->ring, true))
                                return false;
                        continue;
                }
                purpose = found->user_data;
                result = found->res;
                io_ring_consume(&worker->ring);
                if (purpose == STOP || atomic_load(&worker->rings->phase) == ENDING)
                        return false;
                if (result == 0)
                        return true;
                if (is_to_be_sent_again(result)) {
                        if (unique == 0)
                                add_command(worker, FUSE_IO_URING_REGISTER, 0);
                        else if (!ring_entry_commit(worker, unique))
                                return false;
                        continue;
                }
                if (is_end(result) || ++failures > MAXIMUM_FAILURES)
                        return false;
                // This request is lost, but no queue may be left without an entry.
                unique = 0;
                add_command(worker, FUSE_IO_URING_REGISTER, 0);
        }
}
