// Counts a thread's system calls with syscall user dispatch: each raises SIGSYS, whose handler
// makes the call. Unlike ptrace(2) this needs no second process and can be switched on and off.
// Requires x86-64 and Linux 5.11.
#define _GNU_SOURCE
#include "bench.h"

#if defined(__x86_64__)

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <ucontext.h>

// Debian 12's glibc lacks these constants.
enum { SET_DISPATCH = 59, DISPATCH_ON = 1 };
enum { LET_THROUGH = 0, SEND_SIGNAL = 1 };

static volatile char selector = LET_THROUGH;
static uint64_t count;
static void *handler_returns_to;

static long make_call(const greg_t *with) {
    long result;
    register long fourth __asm__("r10") = with[REG_R10];
    register long fifth __asm__("r8") = with[REG_R8];
    register long sixth __asm__("r9") = with[REG_R9];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(with[REG_RAX]), "D"(with[REG_RDI]), "S"(with[REG_RSI]),
                       "d"(with[REG_RDX]), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    if (handler_returns_to == NULL) {
        handler_returns_to = __builtin_return_address(0);
        return;
    }
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    selector = LET_THROUGH;
    count++;
    registers[REG_RAX] = make_call(registers);
    selector = SEND_SIGNAL;
}

bool bench_prepare_system_calls(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSYS, &action, NULL) != 0) return false;
    // Returning from the handler is a system call too, rt_sigreturn(2). A first signal records the
    // address in glibc that makes it: exempt those 16 bytes from dispatch.
    if (raise(SIGSYS) != 0 || handler_returns_to == NULL) return false;
    return prctl(SET_DISPATCH, DISPATCH_ON, handler_returns_to, 16, &selector) == 0;
}

void bench_begin_system_calls(void) {
    count = 0;
    selector = SEND_SIGNAL;
}

uint64_t bench_end_system_calls(void) {
    selector = LET_THROUGH;
    return count;
}

#else

bool bench_prepare_system_calls(void) { return false; }
void bench_begin_system_calls(void) {}
uint64_t bench_end_system_calls(void) { return 0; }

#endif
