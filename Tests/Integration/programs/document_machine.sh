#!/bin/sh
# In name spaces for mounts, ports and processes: the machine of a document, and a user `ann`.
# document_machine.sh DIRECTORY UID
#
# The machine's own programs and libraries are there; what documents write to is the document's.
set -e
place=$1 uid=$2
umask 022
cd "$place"
mkdir -p etc etc.work lib lib.work home/ann home/root "run/user/$uid" srv out
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$place/etc,workdir=$place/etc.work" /etc
mount -t overlay overlay -o "lowerdir=/var/lib,upperdir=$place/lib,workdir=$place/lib.work" /var/lib
rm -rf /etc/mamd /var/lib/mamd  # what the machine has of these is not the document's
sed -i "1i ann:x:$uid:$uid:Ann:/home/ann:/bin/bash" /etc/passwd
sed -i "1i ann:x:$uid:" /etc/group
chmod 700 "run/user/$uid"
chown -R "$uid:$uid" home/ann "run/user/$uid"
chmod 1777 out
ip link set lo up
mount -t tmpfs none /usr/share/doc
install -d /usr/share/doc/mamd
cp -r examples /usr/share/doc/mamd
for directory in home run srv; do mount --bind $directory /$directory; done
mount --bind bin /usr/local/bin
mknod fuse c 10 229
chmod 666 fuse
mount --bind fuse /dev/fuse
mount -t proc proc /proc
exec sleep infinity
