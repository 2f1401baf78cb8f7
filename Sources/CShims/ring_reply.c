// Replies to requests of a ring's, from whatever thread.
#include "ring_seat.h"

#include <errno.h>
#include <string.h>

_Thread_local struct seat *mam_current_seat;

static bool take(struct seat *seat, uint64_t unique) {
    return atomic_compare_exchange_strong(&seat->unique, &unique, 0);
}

// Whoever replies first has the seat; a reply to what came by /dev/fuse finds none.
static struct seat *claim(uint64_t unique) {
    if (unique == 0) return NULL;
    // Almost always; the others are looked at without being changed.
    if (mam_current_seat && take(mam_current_seat, unique)) return mam_current_seat;
    for (int i = 0; i < mam_seats.seat_count; i++) {
        struct seat *seat = &mam_seats.seats[i];
        if (seat->unique == unique && take(seat, unique)) return seat;
    }
    return NULL;
}

int mam_ring_answer(const struct iovec *parts, int count) {
    const struct fuse_out_header *head = parts[0].iov_base;
    struct seat *seat = mam_seats.seats ? claim(head->unique) : NULL;
    if (!seat) return 0;
    size_t size = 0;
    for (int i = 1; i < count; i++) size += parts[i].iov_len;
    struct header *header = seat->header;
    header->out = *head;
    if (size > mam_seats.payload) {
        header->out.error = -EIO;
        size = 0;
    }
    if (size && seat->operation == FUSE_READ && seat->plain < size) seat->plain = size;
    header->entry.payload = (uint32_t)size;
    char *place = seat->payload;
    for (int i = 1; i < count && size; i++) {
        if (parts[i].iov_base != place) memmove(place, parts[i].iov_base, parts[i].iov_len);
        place += parts[i].iov_len;
    }
    sem_post(&seat->answered);
    return 1;
}

void *mam_ring_reply_room(size_t count) {
    if (!mam_current_seat || mam_current_seat->operation != FUSE_READ || count > mam_seats.payload) return NULL;
    if (mam_current_seat->plain < count) mam_current_seat->plain = count;
    return mam_current_seat->payload;
}

int mam_ring_may_wait(void) {
    if (!mam_current_seat) return 1;
    struct queue *queue = &mam_seats.queues[mam_current_seat->queue];
    pthread_mutex_lock(&mam_seats.lock);
    const bool has_many = queue->seats - queue->waits > mam_seats.seats_of_queue / 2;
    const bool has_room = has_many || mam_seats_add(mam_current_seat->queue);
    if (has_room) queue->waits++;
    pthread_mutex_unlock(&mam_seats.lock);
    mam_current_seat->waits = has_room;
    return has_room;
}
