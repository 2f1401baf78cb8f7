#define _GNU_SOURCE
#include "leaders.h"

#include <time.h>
#include <unistd.h>

#include "clock.h"

enum { LED = 1, SERVING = 2, NUMBER = 4 };

// The monitor's interval, and the number of intervals without a request after which it sleeps.
enum { TICK_MSEC = 2, QUIET_TICKS = 10 };

static int leader_count(void) {
        const long half = sysconf(_SC_NPROCESSORS_ONLN) / 2;

        if (half < LEAST_LEADERS)
                return LEAST_LEADERS;
        return half > MOST_LEADERS ? MOST_LEADERS : (int)half;
}

void leaders_init(struct leaders *leaders) {
        *leaders = (struct leaders){.count = leader_count()};
        sem_init(&leaders->followers, 0, 0);
        sem_init(&leaders->monitor, 0, 0);
}

void leaders_destroy(struct leaders *leaders) {
        sem_destroy(&leaders->followers);
        sem_destroy(&leaders->monitor);
}

static uint64_t next_number(uint64_t state) {
        return (state & ~(uint64_t)(SERVING | LED)) + NUMBER;
}

// Takes a place whose state has not changed since it was read.
static bool take(struct leaders *leaders, struct leadership *own, int place, uint64_t found) {
        const uint64_t taken = next_number(found) + LED;

        if (!atomic_compare_exchange_strong(&leaders->places[place].state, &found, taken))
                return false;
        *own = (struct leadership){.place = place, .state = taken};
        return true;
}

static bool take_free(struct leaders *leaders, struct leadership *own) {
        for (int place = 0; place < leaders->count; place++) {
                const uint64_t found = atomic_load(&leaders->places[place].state);

                if (!(found & LED) && take(leaders, own, place, found))
                        return true;
        }
        return false;
}

// Another thread may lead.
static void promote_one(struct leaders *leaders) {
        if (atomic_load(&leaders->follower_count) > 0)
                sem_post(&leaders->followers);
        else if (atomic_load(&leaders->has_monitor))
                sem_post(&leaders->monitor);
}

// Takes a place that has served the same request since the last check.
static bool take_stalled(struct leaders *leaders, struct leadership *own,
                         uint64_t last[MOST_LEADERS]) {
        for (int place = 0; place < leaders->count; place++) {
                const uint64_t found = atomic_load(&leaders->places[place].state);

                if (found & SERVING && found == last[place] && take(leaders, own, place, found))
                        return true;
                last[place] = found;
        }
        return false;
}

static bool is_quiet(const struct leaders *leaders, const uint64_t last[MOST_LEADERS],
                     const uint64_t before[MOST_LEADERS]) {
        for (int place = 0; place < leaders->count; place++)
                if (last[place] != before[place] || last[place] & SERVING)
                        return false;
        return true;
}

static bool are_unchanged(struct leaders *leaders, const uint64_t last[MOST_LEADERS]) {
        for (int place = 0; place < leaders->count; place++)
                if (atomic_load(&leaders->places[place].state) != last[place])
                        return false;
        return true;
}

static void wait_a_tick(struct leaders *leaders) {
        const struct timespec end = timespec_after_msec(TICK_MSEC);

        sem_clockwait(&leaders->monitor, CLOCK_MONOTONIC, &end);
}

// Returns when this thread leads.
static void monitor(struct leaders *leaders, struct leadership *own) {
        uint64_t last[MOST_LEADERS] = {0}, before[MOST_LEADERS];

        for (int quiet = 0; !take_free(leaders, own);) {
                if (quiet < QUIET_TICKS) {
                        wait_a_tick(leaders);
                } else {
                        // Set before the check, so that a thread that serves later sees it.
                        atomic_store(&leaders->monitor_sleeps, true);
                        if (take_free(leaders, own))
                                break;
                        if (are_unchanged(leaders, last))
                                sem_wait(&leaders->monitor);
                        quiet = 0;
                }
                for (int place = 0; place < leaders->count; place++)
                        before[place] = last[place];
                if (take_stalled(leaders, own, last))
                        break;
                quiet = is_quiet(leaders, last, before) ? quiet + 1 : 0;
        }
        atomic_store(&leaders->monitor_sleeps, false);
        atomic_store(&leaders->has_monitor, false);
        // Another thread is the monitor now.
        if (atomic_load(&leaders->follower_count) > 0)
                sem_post(&leaders->followers);
}

static void follow(struct leaders *leaders, struct leadership *own) {
        bool expected = false;

        if (atomic_compare_exchange_strong(&leaders->has_monitor, &expected, true))
                return monitor(leaders, own);
        // Counted before the check: a monitor that left in between woke nobody.
        atomic_fetch_add(&leaders->follower_count, 1);
        if (atomic_load(&leaders->has_monitor) && !take_free(leaders, own))
                sem_wait(&leaders->followers);
        atomic_fetch_sub(&leaders->follower_count, 1);
}

// False if the monitor took the place meanwhile.
static bool change(struct leaders *leaders, struct leadership *own, uint64_t state) {
        uint64_t expected = own->state;

        if (!atomic_compare_exchange_strong(&leaders->places[own->place].state, &expected, state))
                return false;
        own->state = state;
        return true;
}

void leaders_lead(struct leaders *leaders, struct leadership *own) {
        if (own->place >= 0 && !change(leaders, own, own->state & ~(uint64_t)SERVING))
                *own = NO_LEADERSHIP;
        while (own->place < 0 && !take_free(leaders, own))
                follow(leaders, own);
}

void leaders_resign(struct leaders *leaders, struct leadership *own) {
        atomic_store(&leaders->places[own->place].state, next_number(own->state));
        *own = NO_LEADERSHIP;
        promote_one(leaders);
}

static void wake_monitor(struct leaders *leaders) {
        if (atomic_load(&leaders->monitor_sleeps) &&
            atomic_exchange(&leaders->monitor_sleeps, false))
                sem_post(&leaders->monitor);
}

void leaders_serve(struct leaders *leaders, struct leadership *own, bool may_take_long) {
        if (may_take_long)
                return leaders_resign(leaders, own);
        own->state = (own->state | SERVING) + NUMBER;
        atomic_store(&leaders->places[own->place].state, own->state);
        // Last: the monitor checks the places after it sets its sleep flag.
        wake_monitor(leaders);
}
