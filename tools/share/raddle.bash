# SPDX-License-Identifier: MIT
# Completion of raddle's commands and options for bash; `raddle --complete` knows them.

_raddle()
{
    local word=${COMP_WORDS[COMP_CWORD]} raddle=${COMP_WORDS[0]} i
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$("$raddle" --complete 2>/dev/null) --help --version" -- "$word"))
        return
    fi
    if [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = memo ]; then
        COMPREPLY=($(compgen -W "$("$raddle" --complete memo 2>/dev/null)" -- "$word"))
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do # after -- it is the program's own
        [ "${COMP_WORDS[i]}" = -- ] && return
    done
    case $word in
    -*) COMPREPLY=($(compgen -W "$("$raddle" --complete "${COMP_WORDS[1]}" 2>/dev/null)" -- "$word")) ;;
    esac
}
complete -o default -o bashdefault -F _raddle raddle
