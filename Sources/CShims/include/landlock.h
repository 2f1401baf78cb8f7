// Landlock: restrictions that a process imposes on itself.
#pragma once

/// Puts this thread, and the threads and programs that it starts later, into a Landlock domain:
/// whatever its user and capabilities, the kernel does not let it trace a process outside, nor
/// follow that process's /proc/PID/root, cwd, fd or mem. Signals cannot leave the domain either. -1
/// and errno on failure: before Linux 6.7, if Landlock is off, or without no_new_privs.
int mam_leave_processes_alone(void);

/// Whether this kernel has Landlock, and it is on.
int mam_has_landlock(void);
