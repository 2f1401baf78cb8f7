// Zeroing what the compiler does not know of.
#pragma once

/// Zeroes this thread's vector registers. What was copied or encrypted last stays in them while the
/// thread waits, and a memory dump of the process has them.
void mam_clear_registers(void);
