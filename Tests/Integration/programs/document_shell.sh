#!/usr/bin/env bash
# Runs the commands of a document, with its terminal: document_shell.sh COMMANDS STATUSES OUTPUT
#
# COMMANDS and STATUSES are descriptors. Commands end in NUL; what one prints goes to the file
# OUTPUT. At its end there is NUL on the terminal, then its status. A command sees neither channel,
# and sees the last status.
cd || exit
export LD_PRELOAD=/usr/local/bin/cheap_derivation.so
last() { return $__status; }
__status=0
while IFS= read -r -d '' -u "$1" __command; do
    : >"$3"
    last
    eval "eval \"\$__command\" >>\"\$3\" 2>&1 $1<&- $2>&-"
    __status=$?
    printf '\0'
    echo $__status >&"$2"
done
