# What zsh offers for a line, with ./zsh/_mamctl: each as `WORD:` and the word.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; stty -echo; fpath=($PWD/zsh $fpath)'
zpty -w shell 'autoload -Uz compinit; compinit -u -d $PWD/dump'
# Instead of a menu, the words that are added are printed; and when that is all, so is that.
zpty -w shell 'zstyle ":completion:*" list-separator ""'
zpty -w shell 'shown() { local -a all; builtin compadd -O all "$@"; print -rl -- "WORD:"$^all }'
zpty -w shell 'compadd() { shown "$@"; builtin compadd "$@" }'
zpty -w shell 'complete-all() { zle complete-word; print -r -- "COM"PLETED }'
zpty -w shell 'zle -N complete-all; bindkey "^I" complete-all'
zpty -w shell 'print REA""DY'
zpty -r -m shell line '*READY*'
zpty -n -w shell "$1"$'\t'
zpty -r -m shell line '*COMPLETED*'
print -rn -- "$line"
zpty -d shell
