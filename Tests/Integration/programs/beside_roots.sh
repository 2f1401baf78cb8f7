# Root's daemon, with a workspace `roots` in DIRECTORY, while a command runs: DIRECTORY COMMAND…
set -e
place=$1
shift
mount -t tmpfs -o mode=0755 none /run
mkdir -m 700 "$place/backing" "$place/mount"
own=(env "XDG_CONFIG_HOME=$place/config" "XDG_STATE_HOME=$place/state")
"${own[@]}" mamctl init "$place/backing" --name roots > /dev/null
"${own[@]}" mamctl mount "$place/backing" "$place/mount" > /dev/null 2>&1
"$@" && status=0 || status=$?
mamctl unmount "$place/mount" > /dev/null
exit $status
