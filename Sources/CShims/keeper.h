// A thread that keeps the processor busy that a lone caller is not on, so that the scheduler finds none idle (lone_caller.h).
#pragma once

void mam_keeper_wake(void);
