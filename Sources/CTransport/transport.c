#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

struct mam_transport *mam_transport_new(void) {
        struct mam_transport *transport = aligned_alloc(_Alignof(struct mam_transport),
                                                        sizeof *transport);
        int error;

        if (!transport)
                return NULL;
        memset(transport, 0, sizeof *transport);
        error = pthread_key_create(&transport->device_worker, free);
        if (error)
                goto no_key;
        error = rings_init(&transport->rings);
        if (error)
                goto no_rings;
        leaders_init(&transport->leaders);
        return transport;

no_rings:
        pthread_key_delete(transport->device_worker);
no_key:
        free(transport);
        errno = error;
        return NULL;
}

void mam_transport_free(struct mam_transport *transport) {
        leaders_destroy(&transport->leaders);
        rings_destroy(&transport->rings);
        pthread_key_delete(transport->device_worker);
        free(transport);
}

void mam_transport_set_owner(struct mam_transport *transport, void *owner) {
        transport->owner = owner;
}

void *mam_transport_owner(const struct mam_transport *transport) {
        return transport->owner;
}

void mam_transport_prepare(struct mam_transport *transport, bool uses_ring,
                           mam_transport_serve serve, void *session, void (*begun)(void *owner)) {
        transport->init.uses_ring = uses_ring;
        transport->init.begun = begun;
        transport->rings.serve = serve;
        transport->rings.session = session;
}

bool mam_transport_stop(struct mam_transport *transport, int64_t milliseconds) {
        return rings_stop(&transport->rings, milliseconds);
}

enum mam_ring_state mam_transport_ring_state(const struct mam_transport *transport) {
        return (enum mam_ring_state)atomic_load(&transport->init.ring_state);
}

bool mam_transport_maps_direct(const struct mam_transport *transport) {
        return init_maps_direct(&transport->init);
}

int mam_transport_ring_error(const struct mam_transport *transport) {
        return atomic_load(&transport->init.ring_error);
}

int64_t mam_transport_payload(const struct mam_transport *transport) {
        return atomic_load(&transport->init.payload);
}

int mam_transport_queue_count(const struct mam_transport *transport) {
        return atomic_load(&transport->rings.is_used) ? transport->rings.queue_count : 0;
}

int mam_transport_thread_count(const struct mam_transport *transport) {
        const struct rings *rings = &transport->rings;

        if (!atomic_load(&rings->is_used))
                return 0;
        return atomic_load(&rings->worker_count) + rings->helper_count;
}

static int64_t count_of(const _Atomic int64_t *counter) {
        return atomic_load_explicit(counter, memory_order_relaxed);
}

int64_t mam_transport_waiting_count(const struct mam_transport *transport, int queue) {
        return count_of(queue < 0 ? &transport->waiting_count
                                  : &transport->rings.queues[queue].waiting);
}

int64_t mam_transport_taken_count(const struct mam_transport *transport, int queue) {
        return count_of(queue < 0 ? &transport->taken_count
                                  : &transport->rings.queues[queue].taken);
}

void *mam_transport_reply_room(struct mam_transport *transport, size_t count) {
        return rings_reply_room(&transport->rings, count);
}

bool mam_transport_may_wait(struct mam_transport *transport) {
        return rings_may_wait(&transport->rings);
}
