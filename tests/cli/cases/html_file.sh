# The file of --html is whole or as it was before; what cannot be written is one line and exit code 1.
step=$fixtures/step.json
page() { "$habitat" predict "$step" --to T4 "$@" >/dev/null; echo "$?"; }
echo old >old.html; chmod 640 old.html; ln -s old.html link.html
page --html link.html; stat -c '%F %a' old.html link.html; head -c 15 old.html; echo
(umask 027; page --html new.html); stat -c %a new.html
echo old >old.html
(trap '' XFSZ; ulimit -f 100; page --html old.html) 2>&1; cat old.html
mkdir folder; page --html folder; page --html nowhere/x.html; page --html ""
[ -e /dev/full ] && page --html /dev/full || echo 1
page --html - --json; page --html - --csv
mkfifo pipe; timeout 60 head -c 15 pipe & page --html pipe 2>&1 | sed 's/: .*pipe.*/: stopped/' ; wait
"$habitat" explain "$step" --html x.html; echo "$?"
"$habitat" choose "$step" --to T4 --html nowhere/x.html; echo "$?"
echo left: *
