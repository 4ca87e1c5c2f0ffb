# The reader of the pipe is gone before anything is written: the end is that of other tools, SIGPIPE
# without a word, for a short text as for one larger than any buffer.
rm -f fifo && mkfifo fifo
for arguments in --help "predict $fixtures/step.json --to all --by kernel --json"; do
    { exec 3<fifo; exec 3<&-; touch closed; } &
    exec 4>fifo
    wait
    # shellcheck disable=SC2086
    "$habitat" $arguments >&4
    echo $?
    exec 4>&-
done
"$habitat" predict "$fixtures/step.json" --to all --by kernel --csv 2>/dev/null | head -n 1
