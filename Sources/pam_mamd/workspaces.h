// The workspaces that a person may have an account in, by their daemons' sockets.
#pragma once

#include "task.h"

// Of all users: those of a large machine have room.
enum { MAXIMUM_NAME = 64, MAXIMUM_WORKSPACES = 1024 };

typedef char workspace_name[MAXIMUM_NAME + 1];

struct names {
    unsigned count;
    workspace_name all[MAXIMUM_WORKSPACES];
};

// Calls the daemon at NAME.sock of the working directory. False if nobody listens there (yet).
typedef bool serve(const char *name, void *context);

// Serves root's daemons, then the user's own, each once.
void workspaces_serve(const struct task *task, serve *serve, void *context);

// Serves each of the user's own that has a unit, when its socket is there, until `end`.
void workspaces_await(const struct task *task, long long end, serve *serve, void *context);
