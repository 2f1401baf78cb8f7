// A compositor between a contained command and the session's own: it has one connection to the
// session's, and a socket of its own for the command.
#pragma once
#include "containment.h"

/// Connects to a display's socket; -1 and errno on failure.
int mam_display_connect(const char *path);

/// A socket that listens and that nobody finds: `path` is gone when this returns. `place`: the
/// socket's file (O_PATH), to connect to it. -1 and errno on failure.
int mam_display_listen(const char *path, int *place);

/// Two sockets that are connected to each other. -1 and errno on failure.
int mam_display_pair(int *one, int *other);

/// Starts the compositor, which must be Weston, contained: it changes no file and makes no
/// connection. `session`: its connection to the session's compositor; `listener`: where it waits
/// for the command. `life`: its end of a pair of sockets; it ends when the other end is closed, and
/// closes it when it ends. All three stay open here. -1 and errno on failure.
int mam_compositor_start(char *const argv[], const struct mam_containment *containment, int session,
                         int listener, int life);

/// Whether the compositor answers at the other end of `life` within so many milliseconds.
int mam_compositor_answers(int life, int milliseconds);
