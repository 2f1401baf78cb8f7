// Who of the threads that serve the mount listens for the next request.
//
// Waking a thread on another processor costs more than most requests do, and the kernel wakes them in turn, so that each
// finds its caches cold. So few listen, and these serve what is short themselves: whoever has a turn listens, serves, and
// listens again, while the others wait here and not in the kernel. Before a request that may take long the turn is given on. One
// that takes long unexpectedly loses its turn to the deputy, the one thread that looks at the clock.
#pragma once
#include <stdbool.h>

// Waits for a turn, or takes up the one that this thread has. A cancellation point.
void mam_turn_listen(void);

// Ends that: a request came. Is to be served with the turn kept, or given on.
void mam_turn_serve(bool may_take_long);

// Ends it without one: somebody else looks next.
void mam_turn_give_up(void);

// Whether this thread's turn is one too many: a caller that is alone has one listener.
bool mam_turn_is_surplus(void);

// One more may listen than before.
void mam_turn_wake_one(void);
