// owner SOCKET FILE…: each file's owner, and whether it can be read.
// owner SOCKET --lock: locks the caller's accounts.
//
//     cc -o owner owner.c && ./owner "$XDG_RUNTIME_DIR/mamd/work.sock" ~/Work/*
#define _GNU_SOURCE
#include "mam.h"
#include <fcntl.h>

static int complain(const char *what) {
    perror(what);
    return 1;
}

static int tell(int daemon, const char *path) {
    struct mam_protection info;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return complain(path);
    int failed = mam_protection_info(daemon, file, &info);
    close(file);
    if (failed) return complain(path);
    const char *owner = *info.owner ? info.owner : *info.object_id ? info.object_id : "nobody";
    printf("%s\t%s\t%s\t%s\n", owner, info.managed ? "managed" : "unmanaged", info.state, path);
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return fputs("usage: owner SOCKET FILE...|--lock\n", stderr), 2;
    int daemon = mam_connect(words[1]);
    if (daemon < 0) return complain(words[1]);
    if (!strcmp(words[2], "--lock")) return mam_lock(daemon) ? complain("lock") : 0;
    int failed = 0;
    for (int i = 2; i < count; i++) failed |= tell(daemon, words[i]);
    return failed;
}
