# What bash offers for a line, with ./script: LINE [WORD…], the words if bash breaks it otherwise.
source /usr/share/bash-completion/bash_completion
source ./script
complete -p mamctl >/dev/null || exit 1
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
read -ra COMP_WORDS <<< "$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
if (($# > 1)); then
    COMP_WORDBREAKS+=@
    COMP_WORDS=("${@:2}")
fi
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_mamctl mamctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
