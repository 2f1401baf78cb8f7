#define _GNU_SOURCE
#include "workspaces.h"
#include "daemon.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static const char system_sockets[] = "/run/mamd";

typedef char path[512];

static void own_path(path into, const char *form, const char *home) {
    // A cut one is no directory of a workspace's.
    if (snprintf(into, sizeof(path), form, home) >= (int)sizeof(path)) into[0] = 0;
}

static void runtime_path(path into, const char *below, uid_t uid) {
    (void)snprintf(into, sizeof(path), "/run/user/%u%s", (unsigned)uid, below);
}

// As WorkspaceName (MAMPlaces) has it.
static bool is_name(const char *name, size_t count) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return count > 0 && count <= MAXIMUM_NAME && strspn(name, allowed) >= count && name[0] != '.' &&
           name[0] != '-';
}

static bool has(const struct names *names, const char *name) {
    for (unsigned at = 0; at < names->count; at++)
        if (strcmp(names->all[at], name) == 0) return true;
    return false;
}

static void add(struct names *names, const char *name, size_t count) {
    if (names->count == MAXIMUM_WORKSPACES) return;
    char *into = names->all[names->count];
    memcpy(into, name, count);
    into[count] = 0;
    if (!has(names, into)) names->count++;
}

// The names of a directory that end like that, which becomes the working directory.
static bool list(const char *directory, const char *ending, struct names *names) {
    names->count = 0;
    if (!directory[0] || chdir(directory) != 0) return false;
    DIR *entries = opendir(".");
    if (!entries) return false;
    for (struct dirent *entry; (entry = readdir(entries));) {
        const size_t all = strlen(entry->d_name), end = strlen(ending);
        if (all > end && strcmp(entry->d_name + all - end, ending) == 0 &&
            is_name(entry->d_name, all - end))
            add(names, entry->d_name, all - end);
    }
    (void)closedir(entries);
    return true;
}

static bool is_wanted(const struct task *task, const char *name) {
    return !task->workspace || strcmp(task->workspace, name) == 0;
}

// False if one does not listen.
static bool serve_directory(const struct task *task, const char *directory, struct names *served,
                            serve *serve, void *context) {
    static struct names found;
    bool is_complete = true;
    if (!list(directory, ".sock", &found)) return true;
    for (unsigned at = 0; at < found.count; at++) {
        const char *name = found.all[at];
        if (!is_wanted(task, name) || has(served, name)) continue;
        if (serve(name, context)) add(served, name, strlen(name));
        else is_complete = false;
    }
    return is_complete;
}

void workspaces_serve(const struct task *task, serve *serve, void *context) {
    static struct names served;
    path directory;
    (void)serve_directory(task, system_sockets, &served, serve, context);
    // A daemon of the user's listens in both of these.
    served.count = 0;
    runtime_path(directory, "/mamd", task->person->uid);
    (void)serve_directory(task, directory, &served, serve, context);
    own_path(directory, "%s/.local/state/mamd", task->person->home);
    (void)serve_directory(task, directory, &served, serve, context);
}

// Whether a unit's daemon is missing.
static bool is_awaited(const struct task *task, const struct names *served) {
    static struct names units;
    path directory;
    own_path(directory, "%s/.config/mamd", task->person->home);
    if (!list(directory, "", &units)) return false;
    for (unsigned at = 0; at < units.count; at++) {
        path unit;
        (void)snprintf(unit, sizeof unit, "%s/mount", units.all[at]);
        if (is_wanted(task, units.all[at]) && !has(served, units.all[at]) &&
            access(unit, F_OK) == 0)
            return true;
    }
    return false;
}

// Until something appears, or one that is there may listen: nothing tells of that.
static void pause_for(int events, bool is_refused, long long end) {
    char buffer[4096];
    const long long left = end - now();
    struct pollfd one = {events, POLLIN, 0};
    if (left > 0) (void)poll(&one, 1, is_refused && left > 100 ? 100 : (int)left);
    while (read(events, buffer, sizeof buffer) > 0);
}

void workspaces_await(const struct task *task, long long end, serve *serve, void *context) {
    static struct names served;
    path runtime, sockets;
    const int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    runtime_path(runtime, "", task->person->uid);
    runtime_path(sockets, "/mamd", task->person->uid);
    while (events >= 0 && now() < end && is_awaited(task, &served)) {
        // Watched before it is read; the first of them makes the other.
        if (inotify_add_watch(events, runtime, IN_CREATE | IN_MOVED_TO) < 0) break;
        (void)inotify_add_watch(events, sockets, IN_CREATE | IN_MOVED_TO);
        const bool is_complete = serve_directory(task, sockets, &served, serve, context);
        if (is_awaited(task, &served)) pause_for(events, !is_complete, end);
    }
    if (events >= 0) (void)close(events);
}
