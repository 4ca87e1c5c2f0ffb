# The reader of the pipe is gone before anything is written: the end is that of other tools, SIGPIPE
# without a word, for a short text as for one larger than any buffer.
rm -f fifo && mkfifo fifo
leave() { # ARGUMENTS..
    { exec 3<fifo; exec 3<&-; touch closed; } &
    exec 4>fifo
    wait
    "$habitat" "$@" >&4
    echo $?
    exec 4>&-
}
leave --help
leave predict "$fixtures/step.json" --to all --by kernel --json
"$habitat" predict "$fixtures/step.json" --to all --by kernel --csv 2>/dev/null | head -n 1
