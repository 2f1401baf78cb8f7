// What mam_clear_registers() leaves on arm64: a program without a C library, for test_aarch64.py.
// Status 0, or 1 and up: the first register that is not as it should be, and one.
#include "registers.h"

static unsigned long long before[64], after[64];

// clang-format off
#define EACH(one) \
    one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7) one(8) one(9) one(10) one(11) one(12) \
    one(13) one(14) one(15) one(16) one(17) one(18) one(19) one(20) one(21) one(22) one(23) \
    one(24) one(25) one(26) one(27) one(28) one(29) one(30) one(31)
// clang-format on
#define LOAD(number) "ldr q" #number ", [%0, #16 * " #number "]\n"
#define STORE(number) "str q" #number ", [%1, #16 * " #number "]\n"
#define CLOBBER(number) , "v" #number

static void call(void) {
    // Registers that the callee preserves.
    register const void *from __asm__("x19") = before;
    register void *to __asm__("x20") = after;

    __asm__ volatile(EACH(LOAD) "bl mam_clear_registers\n" EACH(STORE)
                     :
                     : "r"(from), "r"(to)
                     : "memory", "x30", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
                       "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17" EACH(CLOBBER));
}

// The lower halves of v8 to v15 are the caller's, which the callee must preserve.
static int is_preserved(int half) {
    const int number = half / 2;
    return half % 2 == 0 && number >= 8 && number <= 15;
}

void _start(void) {
    register long status __asm__("x0") = 0, number __asm__("x8") = 93;
    int found = 0;

    for (int half = 0; half < 64; half++) before[half] = 0x5a5a5a5a00000000ull + half;
    call();
    for (int half = 63; half >= 0; half--)
        if (after[half] != (is_preserved(half) ? before[half] : 0)) found = half / 2 + 1;
    status = found;
    __asm__ volatile("svc #0" : : "r"(status), "r"(number));
}
