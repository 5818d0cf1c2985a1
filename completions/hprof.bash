# hprof.bash - completion of hprof for bash. All words come from `hprof complete`; src/cli/candidates.h says what it prints.
# SPDX-License-Identifier: Apache-2.0

# Bash parts the line at '=' and ':', too. __hprof_words has the words as the command will get them, cut at the cursor, and
# __hprof_starts for each the number of its first part in COMP_WORDS.
__hprof_split() {
    local line=${COMP_LINE:0:COMP_POINT} part before i
    __hprof_words=() __hprof_starts=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        before=${line%%"$part"*}
        if ((i == COMP_CWORD)) && [[ $line != *"$part"* ]]; then
            before=${line%%[![:blank:]]*}
            part=${line#"$before"}
        fi
        if [[ -z $part || -n $before || ${#__hprof_words[@]} -eq 0 ]]; then
            __hprof_words+=("$part")
            __hprof_starts+=("$i")
        else
            __hprof_words[${#__hprof_words[@]} - 1]+=$part
        fi
        line=${line#"$before$part"}
    done
    __hprof_part=$part
}

# Adds the files that fit a word, and have one of the suffixes; folders always.
__hprof_files() {
    local front=$1 word=$2 kind=$3 file suffix
    shift 3
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        if [[ -d $file || ($kind = files && $# -eq 0) ]]; then
            COMPREPLY+=("$front$file")
            continue
        fi
        for suffix; do
            [[ $file != *"$suffix" ]] || COMPREPLY+=("$front$file")
        done
    done < <(if [[ $kind = folders ]]; then compgen -d -- "$word"; else compgen -f -- "$word"; fi)
}

# The words behind `hprof run --` are those of another program.
__hprof_command() {
    local at=${__hprof_starts[$1 + 1]} word=${__hprof_words[${#__hprof_words[@]} - 1]}
    if declare -F _command_offset >/dev/null; then
        _command_offset "$at"
    elif (($1 + 2 == ${#__hprof_words[@]})); then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
    else
        __hprof_files "" "$word" files
    fi
}

_hprof() {
    local hprof=$1 line word front="" reply i __hprof_part __hprof_words __hprof_starts
    local -a suffixes
    COMPREPLY=()
    [[ $hprof != '~/'* ]] || hprof=$HOME/${hprof:2}
    __hprof_split
    word=${__hprof_words[${#__hprof_words[@]} - 1]}
    while IFS= read -r line; do
        case $line in
        :nospace) compopt -o nospace 2>/dev/null ;;
        ":from "*) front=${word:0:${line#:from }} ;;
        :folders) __hprof_files "$front" "${word#"$front"}" folders ;;
        ":files"*)
            read -ra suffixes <<<"${line#:files}"
            __hprof_files "$front" "${word#"$front"}" files "${suffixes[@]}"
            ;;
        ":command "*)
            __hprof_command "${line#:command }"
            return
            ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("$hprof" complete -- "${__hprof_words[@]:1}" 2>/dev/null)

    # Bash replaces the last part only.
    front=${word%"$__hprof_part"}
    [[ $__hprof_part != [=:] ]] || front=$word
    for i in "${!COMPREPLY[@]}"; do
        reply=${COMPREPLY[i]}
        COMPREPLY[i]=${reply#"$front"}
    done
}

complete -F _hprof hprof hprof-static
