#!/bin/sh
# In a mount name space of its own: logind with what STATE has as /run/systemd, and with a file in
# place of the kernel's switch for sleep. start_logind.sh LOGIND STATE
set -e
mount -t tmpfs -o mode=0755 none /run
mkdir /run/user /run/udev
cp -r "$2" /run/systemd
mount -t tmpfs none /sys/power
echo mem > /sys/power/state
echo s2idle > /sys/power/mem_sleep
exec "$1"
