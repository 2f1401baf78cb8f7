// Landlock: restrictions that a process imposes on itself.
#pragma once
#include <stdint.h>

/// The kernel's Landlock version; 0 if it has none, or it is off.
int32_t mam_landlock_version(void);

// What can be restricted of the network, and across a domain's border.
enum { MAM_LANDLOCK_BIND_TCP = 1, MAM_LANDLOCK_CONNECT_TCP = 2 };
enum { MAM_LANDLOCK_ABSTRACT_SOCKETS = 1, MAM_LANDLOCK_SIGNALS = 2 };

/// A ruleset that restricts these, as far as the kernel's version knows of networks and scopes: a
/// descriptor; -1 and errno on failure.
int mam_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes);

/// Puts this thread, and the threads and programs that it starts later, into a Landlock domain:
/// whatever its user and capabilities, the kernel does not let it trace a process outside, nor
/// follow that process's /proc/PID/root, cwd, fd or mem. Signals cannot leave the domain either. -1
/// and errno on failure: before Linux 6.7, if Landlock is off, or without no_new_privs.
int mam_leave_processes_alone(void);
