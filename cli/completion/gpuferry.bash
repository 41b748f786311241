# bash completion for gpuferry: commands and options are read from the program's own help, so they cannot differ from it
_gpuferry()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} arg
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p') help --help --version" -- "$word")
        return
    fi
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$1" "$command" -h 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)" -- "$word")
        return
    fi
    if [[ $before == --* ]]; then # words that an option's argument spells out, as in cuda|rocm|cpu
        arg=$("$1" "$command" -h 2>/dev/null | sed -n "s/^ .*$before \([^ ]*\).*/\1/p")
        [[ $arg == *[a-z]\|[a-z]* ]] && mapfile -t COMPREPLY < <(compgen -W "$(tr '|' '\n' <<<"$arg" | grep -E '^[a-z0-9-]+$')" -- "$word")
    fi
    ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _gpuferry gpuferry
