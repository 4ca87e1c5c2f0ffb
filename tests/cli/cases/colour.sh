# Colour on a terminal, none with NO_COLOR.
command -v script >/dev/null || { echo "no script(1) here" >&2; exit 77; }
unset NO_COLOR
TERM=xterm script -qec "'$habitat' gpus" /dev/null | grep -c "$(printf '\033')"
NO_COLOR=1 TERM=xterm script -qec "'$habitat' gpus" /dev/null | grep -c "$(printf '\033')"
TERM=dumb script -qec "'$habitat' gpus" /dev/null | grep -c "$(printf '\033')"
exit 0
