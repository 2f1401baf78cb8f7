#!/bin/sh
# In name spaces of its own: the root of a Debian, whose changes are in memory.
# fresh_debian.sh BASE PLACE SHARED
#
# BASE is the root as it was; PLACE is an empty directory; SHARED is at /shared there.
set -e
base=$1 place=$2 shared=$3
mount -t tmpfs -o mode=0755 none "$place"
cd "$place"
mkdir change work root
mount -t overlay -o "lowerdir=$base,upperdir=change,workdir=work" none root
cd root
# Each installation would make the index of all manual pages anew.
rm -f var/lib/man-db/auto-update
mount -t proc proc proc
mount -t tmpfs -o mode=0755 none dev
for device in null zero full random urandom tty; do
    touch dev/$device
    mount --bind /dev/$device dev/$device
done
ln -s /proc/self/fd dev/fd
# As udev makes it.
mknod dev/fuse c 10 229
chmod 666 dev/fuse
mkdir -p old shared
mount --bind "$shared" shared
pivot_root . old
cd /
umount -l /old
ip link set lo up 2>/dev/null || true
exec sleep infinity
