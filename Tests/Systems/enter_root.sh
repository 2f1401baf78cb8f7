#!/bin/sh
# Runs a command in another root, with this machine's kernel and its Swift; in a mount and a process
# name space of its own.
#
#   enter_root.sh ROOT SWIFT COMMAND…
set -e
root=$1 swift=$2
mount --bind "$root" "$root"
cd "$root"
mkdir -p old "./$swift"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs -o mode=0755 none run
mount --bind -o ro "$swift" "./$swift"
cp -L /etc/resolv.conf etc/resolv.conf
pivot_root . old
cd /
umount -l /old
shift 2
exec "$@"
