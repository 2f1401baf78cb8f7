#!/bin/sh
# In a mount name space: what mount(8) needs of /usr/sbin is its helpers, with mamd's beside them.
# mount_helpers.sh DIRECTORY HELPER MAMD MAMCTL
set -e
mount -t tmpfs none "$1"
cp -a /usr/sbin/mount.fuse* "$1" 2>/dev/null || true
cp "$2" "$1/mount.fuse.mamd"
mount --bind "$1" /usr/sbin
# mount(8) gives its helpers a path of its own.
mount -t tmpfs none /usr/local/bin
cp "$3" "$4" /usr/local/bin
echo ready
exec sleep infinity
