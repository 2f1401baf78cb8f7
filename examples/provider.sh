#!/bin/bash
# provider.sh rclone|rsync fetch|import CLOUD DIRECTORY ACCOUNT
#
# fetch:   what CLOUD holds comes to DIRECTORY, encrypted for ACCOUNT where policy asks for that.
# import:  files below DIRECTORY go to CLOUD in the clear, if policy lets ACCOUNT take them in.
#
# CLOUD is the tool's name of a place: remote:folder for rclone, host:folder for rsync. What policy
# refuses is told and stays where it is. 0: all went; 1: something did not.
set -eu -o pipefail
[ $# = 5 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
tool=$1 direction=$2 cloud=$3 directory=$4 account=$5

# Between the two lies plain content, in the user's own memory and not on a disk. TMPDIR is for
# content that is larger.
stage=$(mktemp -d "${TMPDIR:-${XDG_RUNTIME_DIR:-/dev/shm}}/provider.XXXXXX")
trap 'rm -rf "$stage"' EXIT

transfer() {
    case $tool in
        rclone) rclone copy --quiet "$1" "$2" ;;
        rsync) rsync -a "$1/" "$2/" ;;
        *) echo "provider.sh: '$tool' is neither rclone nor rsync" >&2; exit 2 ;;
    esac
}

# Hands every file below $2 to `mamctl provider $1`, which writes it below $3.
each() {
    local name failed=0
    while IFS= read -r -d '' name; do
        mkdir -p "$3/$(dirname "./$name")"
        mamctl provider "$1" "$2/$name" "$3/$name" --owner "$account" --force || failed=1
    done < <(find "$2" -type f -printf '%P\0')
    return "$failed"
}

failed=0
case $direction in
    fetch)
        transfer "$cloud" "$stage"
        each fetch "$stage" "$directory" || failed=1 ;;
    import)
        each import "$directory" "$stage" || failed=1
        transfer "$stage" "$cloud" ;;
    *) echo "provider.sh: '$direction' is neither fetch nor import" >&2; exit 2 ;;
esac
exit "$failed"
