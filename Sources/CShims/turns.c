#define _GNU_SOURCE
#include "turns.h"
#include "lone_caller.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

// Two, so that one client's request need not wait for another's.
enum { TURN_COUNT = 2 };

// A turn's state: TAKEN and SERVING, and above them a number that is another for each request.
enum { TAKEN = 1, SERVING = 2, NUMBER = 4 };
static _Atomic uint64_t turns[TURN_COUNT];

static int allowed_count(void) { return mam_lone_place() >= 0 ? 1 : TURN_COUNT; }

// This thread's turn, and the state that it gave it.
static _Thread_local int own = -1;
static _Thread_local uint64_t own_state;

static _Atomic int parked_count;
static _Atomic bool has_deputy, deputy_sleeps;
static sem_t parked, deputy;

__attribute__((constructor)) static void make_semaphores(void) {
    sem_init(&parked, 0, 0);
    sem_init(&deputy, 0, 0);
}

// The state that is found and its number passed on to a listener, who is this thread.
static bool take(int turn, uint64_t found) {
    const uint64_t taken = (found & ~(uint64_t)SERVING & ~(uint64_t)TAKEN) + NUMBER + TAKEN;
    if (!atomic_compare_exchange_strong(&turns[turn], &found, taken)) return false;
    own = turn;
    own_state = taken;
    return true;
}

static bool take_free(void) {
    for (int turn = 0; turn < allowed_count(); turn++) {
        const uint64_t found = atomic_load(&turns[turn]);
        if ((found & TAKEN) == 0 && take(turn, found)) return true;
    }
    return false;
}

void mam_turn_wake_one(void) {
    if (atomic_load(&parked_count) > 0) sem_post(&parked);
    else if (atomic_load(&has_deputy)) sem_post(&deputy);
}

// Serving the same request as at the last look, two milliseconds ago.
static bool take_stalled(uint64_t last[TURN_COUNT]) {
    for (int turn = 0; turn < TURN_COUNT; turn++) {
        const uint64_t found = atomic_load(&turns[turn]);
        if (found & SERVING && found == last[turn] && take(turn, found)) return true;
        last[turn] = found;
    }
    return false;
}

static bool is_quiet(const uint64_t last[TURN_COUNT], const uint64_t before[TURN_COUNT]) {
    for (int turn = 0; turn < TURN_COUNT; turn++)
        if (last[turn] != before[turn] || last[turn] & SERVING) return false;
    return true;
}

// Neither given on nor served in since the last look.
static bool are_as_before(const uint64_t last[TURN_COUNT]) {
    for (int turn = 0; turn < TURN_COUNT; turn++)
        if (atomic_load(&turns[turn]) != last[turn]) return false;
    return true;
}

static void wait_a_tick(void) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += 2000000;
    if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
    sem_clockwait(&deputy, CLOCK_MONOTONIC, &end);
}

static void stand_in(void) {
    enum { PATIENCE = 10 };
    uint64_t last[TURN_COUNT] = {0};
    for (int quiet = 0; !take_free();) {
        if (quiet < PATIENCE) {
            wait_a_tick();
        } else {
            // Announced first and then looked once more: whoever serves from now on sees it.
            atomic_store(&deputy_sleeps, true);
            if (take_free()) break;
            if (are_as_before(last)) sem_wait(&deputy);
            quiet = 0;
        }
        uint64_t before[TURN_COUNT];
        for (int turn = 0; turn < TURN_COUNT; turn++) before[turn] = last[turn];
        if (take_stalled(last)) break;
        quiet = is_quiet(last, before) ? quiet + 1 : 0;
    }
    atomic_store(&deputy_sleeps, false);
    atomic_store(&has_deputy, false);
    // Somebody else stands in now.
    if (atomic_load(&parked_count) > 0) sem_post(&parked);
}

static void park(void) {
    bool expected = false;
    if (atomic_compare_exchange_strong(&has_deputy, &expected, true)) return stand_in();
    // Announced first and then looked once more: a deputy that has left since then has woken nobody.
    atomic_fetch_add(&parked_count, 1);
    if (atomic_load(&has_deputy) && !take_free()) sem_wait(&parked);
    atomic_fetch_sub(&parked_count, 1);
}

// Not while the first turn is served in: nobody would listen.
bool mam_turn_is_surplus(void) { return own >= allowed_count() && !(atomic_load(&turns[0]) & SERVING); }

static uint64_t given_up(uint64_t state) { return (state & ~(uint64_t)SERVING & ~(uint64_t)TAKEN) + NUMBER; }

void mam_turn_listen(void) {
    if (mam_turn_is_surplus()) {
        // Unless it was taken over meanwhile.
        atomic_compare_exchange_strong(&turns[own], &own_state, given_up(own_state));
        own = -1;
    } else if (own >= 0) {
        const uint64_t listening = own_state & ~(uint64_t)SERVING;
        if (atomic_compare_exchange_strong(&turns[own], &own_state, listening)) own_state = listening;
        else own = -1;  // Taken over meanwhile.
    }
    while (own < 0 && !take_free()) park();
}

static void wake_deputy(void) {
    if (atomic_load(&deputy_sleeps) && atomic_exchange(&deputy_sleeps, false)) sem_post(&deputy);
}

void mam_turn_give_up(void) {
    atomic_store(&turns[own], given_up(own_state));
    own = -1;
    mam_turn_wake_one();
}

void mam_turn_serve(bool may_take_long) {
    if (may_take_long) return mam_turn_give_up();
    own_state = (own_state | SERVING) + NUMBER;
    atomic_store(&turns[own], own_state);
    // Only now: it looks at the turns after it said that it sleeps.
    wake_deputy();
}
