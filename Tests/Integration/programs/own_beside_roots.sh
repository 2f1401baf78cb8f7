# A user's own workspace beside root's, without an account in the latter and with one: what `lock`
# and the library say.
set -e
mamctl status --json | grep -q '"name" : "roots"'
mkdir -m 700 "$HOME/Work"
mamctl init "$HOME/.own" > /dev/null
mamctl mount "$HOME/.own" "$HOME/Work" > /dev/null 2>&1
trap 'mamctl unmount "$HOME/Work" > /dev/null' EXIT
echo 'correct horse battery staple' > "$HOME/pin"
mamctl account register ann@contoso.com --passfile "$HOME/pin"
clientcheck only "$HOME/Work" - -
mamctl account register ann@roots.example --passfile "$HOME/pin" --workspace roots
mamctl lock --now && exit 1 || echo status $?
! clientcheck only "$HOME/Work" - -
