#define _GNU_SOURCE
#include "forgets.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

void forgets_init(struct forgets *forgets) {
        *forgets = (struct forgets){.device = -1, .buffer = MAP_FAILED};
        pthread_mutex_init(&forgets->turn, NULL);
}

void forgets_destroy(struct forgets *forgets) {
        if (forgets->buffer != MAP_FAILED)
                munmap(forgets->buffer, forgets->size);
        pthread_mutex_destroy(&forgets->turn);
}

int forgets_prepare(struct forgets *forgets, mam_transport_serve serve, void *session, int device,
                    size_t payload_size) {
        enum { PAGE = 4096 };
        const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

        // The kernel wants room for the largest request, whatever comes.
        forgets->size = PAGE + payload_size;
        forgets->buffer = mmap(NULL, forgets->size, PROT_READ | PROT_WRITE, kind, -1, 0);
        if (forgets->buffer == MAP_FAILED)
                return errno;
        forgets->serve = serve;
        forgets->session = session;
        forgets->device = device;
        return 0;
}

static void set_flag(int file, int flag, bool is_set) {
        const int flags = fcntl(file, F_GETFL);

        fcntl(file, F_SETFL, is_set ? flags | flag : flags & ~flag);
}

void forgets_set_alone(struct forgets *forgets, bool are_alone) {
        if (are_alone)
                set_flag(forgets->device, O_NONBLOCK, true);
        atomic_store(&forgets->are_alone, are_alone);
        if (!are_alone)
                set_flag(forgets->device, O_NONBLOCK, false);
}

bool forgets_are_alone(const struct forgets *forgets) {
        return atomic_load(&forgets->are_alone);
}

// libfuse cancels its threads in read(2) and poll(2): none of them may have the turn then.
static int begin_turn(struct forgets *forgets) {
        int before;

        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
        pthread_mutex_lock(&forgets->turn);
        return before;
}

static void end_turn(struct forgets *forgets, int before) {
        pthread_mutex_unlock(&forgets->turn);
        pthread_setcancelstate(before, NULL);
}

// One message has all that are queued, as far as it has room.
static bool are_all(const struct fuse_in_header *head, size_t room) {
        if (head->opcode == FUSE_FORGET)
                return true;
        return head->opcode == FUSE_BATCH_FORGET &&
               room - head->len >= sizeof(struct fuse_forget_one);
}

static bool serve_all(struct forgets *forgets) {
        const struct fuse_in_header *head = forgets->buffer;

        for (bool is_over = false; !is_over;) {
                const ssize_t count = read(forgets->device, forgets->buffer, forgets->size);

                if (count < 0 && (errno == EINTR || errno == ENOENT))
                        continue;
                if (count < 0)
                        return errno == EAGAIN;
                if (count < (ssize_t)sizeof *head) {
                        errno = EIO;
                        return false;
                }
                is_over = are_all(head, forgets->size);
                forgets->serve(forgets->session, forgets->buffer, (size_t)count);
        }
        return true;
}

bool forgets_serve(struct forgets *forgets) {
        const int before = begin_turn(forgets);
        const bool may_come = serve_all(forgets);
        const int error = errno;

        end_turn(forgets, before);
        errno = error;
        return may_come;
}

ssize_t forgets_read_any(struct forgets *forgets, int device, void *buffer, size_t count) {
        const int before = begin_turn(forgets);
        struct pollfd ready = {.fd = device, .events = POLLIN};
        ssize_t found = -1;
        int error = EAGAIN;

        if (!forgets_are_alone(forgets) && poll(&ready, 1, 0) > 0) {
                found = read(device, buffer, count);
                error = errno;
        }
        end_turn(forgets, before);
        errno = error;
        return found;
}
