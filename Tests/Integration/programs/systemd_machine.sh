#!/bin/sh
# In name spaces of its own: the root of a machine, and systemd as its process 1.
# systemd_machine.sh SYSTEMD UID PLACE [DIRECTORY…]
#
# PLACE has the programs, the units and an empty directory `root`; it and each DIRECTORY are at the
# same paths in the machine. UID is its user.
set -e
systemd=$1 uid=$2 place=$3
shift 3
root=$place/root
mount -t tmpfs -o mode=0755 none "$root"
cd "$root"
mkdir usr etc var run dev proc sys tmp old
mount -t tmpfs -o mode=0755 none run
mkdir run/user run/user-units "run/user/$uid"
chmod 1777 tmp
chmod 700 "run/user/$uid"
chown "$uid:$uid" "run/user/$uid"
mkdir -p run/systemd/system "./$place"
cp -a /bin /lib /sbin . 2>/dev/null && if [ -e /lib64 ]; then cp -a /lib64 .; fi
mount --rbind /usr usr
mount -t tmpfs -o mode=0755 none usr/local/bin
cp "$place"/bin/* usr/local/bin
cp -a /etc/alternatives /etc/passwd /etc/group /etc/nsswitch.conf etc
cp -a /etc/ld.so.cache /etc/fuse.conf etc
cp -r "$place"/system/* run/systemd/system
cp "$place"/user/* run/user-units
mount --rbind /dev dev
mknod run/fuse c 10 229
chmod 666 run/fuse
mount --bind run/fuse dev/fuse
for directory; do
    mkdir -p "./$directory"
    mount --rbind "$directory" "./$directory"
done
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 none sys/fs/cgroup
mount --bind "$place" "./$place"
ln -s /proc/self/mounts etc/mtab
tr -d - < /proc/sys/kernel/random/uuid > etc/machine-id
export container=mamd-tests
export SYSTEMD_UNIT_PATH=/etc/systemd/system:/run/systemd/system SYSTEMD_GENERATOR_PATH=/nonexistent
# Nothing of the other root stays: a mount of somebody else's would be kept busy here.
pivot_root . old
cd /
umount -l /old
# As a machine's own systemd has it: what is mounted and unmounted is so in the name spaces of
# services too.
mount --make-rshared /
exec "$systemd" --unit=default.target --log-target=console
