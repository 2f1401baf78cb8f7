// A caller that is alone: one thread that asks for one short thing after the other and waits for each, as most programs do.
//
// Then either it or who serves it has something to do, never both. The scheduler has another view: it sees two threads that wake
// each other, and puts whoever wakes on a processor that is idle. So each request wakes a sleeping processor twice, which takes
// several times as long as serving it. Where there are two processors that can be had better: while a caller is alone one thread
// listens, on the caller's processor, and the keeper has the other one, so that there is no idle one. Measured in
// docs/adr/0028-one-caller-alone.md.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Before the first request. Without permission to keep a processor busy nobody is taken for alone.
void mam_lone_prepare(bool may_keep_busy);

// A request came: from which thread (0: from the kernel itself), and on which processor (-1 if that is not known).
void mam_lone_note(uint32_t caller, int processor, bool is_short);

// Moves this thread, which listens, to its caller's processor once in a while. It may be moved from there again.
void mam_lone_follow(void);

// The processor of a caller that is alone, or -1.
int mam_lone_place(void);

// Changes with each of its requests, and with some of those that the kernel makes by itself meanwhile.
uint32_t mam_lone_activity(void);

// The thread that is alone, or was last.
uint32_t mam_lone_caller(void);

// Nobody is taken for alone any more.
void mam_lone_end(void);

// Whether others want the caller's processor, so that keeping the other one busy slows them down. Each time that they do it takes
// longer until somebody is taken for alone again.
void mam_lone_judge(bool is_crowded);
