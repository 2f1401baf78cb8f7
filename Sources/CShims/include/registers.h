// Zeroes memory that the compiler does not manage.
#pragma once

/// Zeroes this thread's vector registers. Otherwise data that was last copied or encrypted stays in
/// them while the thread waits, and shows in a memory dump.
void mam_clear_registers(void);
