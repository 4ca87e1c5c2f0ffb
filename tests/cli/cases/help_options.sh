# Every option that help shows is accepted, and every option that is accepted is in the help.
for verb in $("$habitat" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    "$habitat" "$verb" --help >help.txt || echo "$verb: no help"
    awk 'length($0) > 80' help.txt
    for option in $(sed -n '/^Options:/,/^Examples:/p' help.txt | grep -oE -e '^  -.*' |
        grep -oE -e '(^|[ ,])-(-[a-z][a-z0-9-]*|[a-z]\b)' | tr -d ' ,' | sort -u); do
        "$habitat" "$verb" "$option" 2>&1 </dev/null | grep -q 'no such option' &&
            echo "$verb: $option is in the help, but not accepted"
    done
    file=$source/cli/cmd_$(echo "$verb" | tr - _).c
    [ -f "$file" ] || { echo "$verb: $file is missing"; continue; }
    for option in $(grep -oE '"--[a-z0-9-]+"' "$file" | tr -d '"' | sort -u); do
        grep -qE -e "(^| |,)$option([ ,=]|\$)" help.txt || echo "$verb: $option is not in the help"
    done
done
"$habitat" --help | grep -cE '^  [a-z]' >/dev/null && echo done
