# A command line that is refused leaves no file behind, whatever it is refused for and by whom.
step=$fixtures/step.json
run() { "$habitat" "$@" --timeline t.json --html p.html; echo "exit $?"; }
run predict "$step" --to A100-SXM4-80GB --vendor AMD
run predict "$step" --to T4 --min-memory 500
run predict "$step" --to T4 --since 2030
run predict "$step" --to T4 --columns gpu,hours
run predict "$step" --to T4 --columns gpu,speed
run predict "$step" --to T4 --sort speed
"$habitat" predict "$step" --to T4 --html p.html --columns gpu,hours; echo "exit $?"
ls
# and what is fine has its files and its report
run predict "$step" --to T4 | wc -l; ls
