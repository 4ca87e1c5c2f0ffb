# The reader of the pipe is gone before anything is written.
rm -f fifo && mkfifo fifo
{ exec 3<fifo; exec 3<&-; touch closed; } &
exec 4>fifo
wait
"$habitat" --help >&4
