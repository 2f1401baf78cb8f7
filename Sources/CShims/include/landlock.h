// Landlock: what a process can take from itself.
#pragma once

/// Puts this thread, and those and the programs that it starts from now on, into a Landlock domain:
/// the kernel lets nothing in it trace a process outside, nor go through that one's /proc/PID/root,
/// cwd, fd or mem, whatever the user and the capabilities. Signals stay inside too. -1 and errno on
/// failure: before Linux 6.7, where Landlock is off, and without no_new_privs.
int mam_leave_processes_alone(void);
