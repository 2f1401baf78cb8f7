// Bytes with descriptors over an AF_UNIX stream (SCM_RIGHTS), and the peer's credentials.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { MAM_MAXIMUM_DESCRIPTORS = 8 };

/// sendmsg(2) of `count` bytes and up to MAM_MAXIMUM_DESCRIPTORS descriptors, MSG_NOSIGNAL.
intptr_t mam_send(int socket, const void *bytes, size_t count, const int *descriptors,
                  int descriptor_count);

/// recvmsg(2). Descriptors are close-on-exec; `*descriptor_count` is the number stored. With more
/// than MAM_MAXIMUM_DESCRIPTORS in one message, all are closed and errno is EMSGSIZE.
intptr_t mam_receive(int socket, void *bytes, size_t count, int *descriptors,
                     int *descriptor_count);

/// SO_PEERCRED.
int mam_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group);

/// SO_PEERPIDFD: a descriptor of that process, close-on-exec. -1 and errno ENOPROTOOPT before Linux
/// 6.5; another errno if the process has ended.
int mam_peer_process(int socket);
