# hprof.fish - completion of hprof for fish. All words come from `hprof complete`; src/cli/candidates.h says what it prints.
# SPDX-License-Identifier: Apache-2.0

# Prints the files that fit a word and have one of the suffixes, with `front` before each; folders always.
function __hprof_files --argument-names front word
    set -l suffixes $argv[3..-1]
    for line in (__fish_complete_path $word)
        set -l file (string split -m 1 \t -- $line)[1]
        if test (count $suffixes) -eq 0; or string match -q -- '*/' $file
            echo $front$line
            continue
        end
        for suffix in $suffixes
            if string match -q -- "*$suffix" $file
                echo $front$line
                break
            end
        end
    end
end

function __hprof_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l hprof $words[1]
    string match -q -- '~/*' $hprof; and set hprof $HOME/(string sub -s 3 -- $hprof)
    set -l front ''
    for line in ($hprof complete -- $words[2..-1] $word 2>/dev/null)
        switch $line
            case ':nospace'
            case ':from *'
                set front (string sub -l (string sub -s 7 -- $line) -- $word)
            case ':folders'
                __fish_complete_directories (string sub -s (math (string length -- $front) + 1) -- $word) | while read -l folder
                    echo $front$folder
                end
            case ':files*'
                __hprof_files $front (string sub -s (math (string length -- $front) + 1) -- $word) (string split -n ' ' -- (string sub -s 7 -- $line))
            case ':command *'
                set -l at (math (string sub -s 10 -- $line) + 2)
                complete --do-complete=(string join ' ' -- (string escape -- $words[$at..-1]) $word)
            case '*'
                echo $line
        end
    end
end

complete -c hprof -f -a '(__hprof_complete)'
complete -c hprof-static -f -a '(__hprof_complete)'
