# A refusal begins with the option or file that it is about, and says what to do.
step=$fixtures/step.json
run() { "$habitat" "$@" >out; echo "exit $?"; }
run predict "$step" --sort tim
run predict "$step" --columns foo
run predict "$step" --since 2022-13
run predict "$step" --since 2040
run predict "$step" --min-memory 5000
run predict "$step" --min-memory 100 --since 2040
run predict "$step" --to T4,,L4
run predict "$step" --to T4,
run predict "$step" --to ,T4
run predict "$step" --batch 8,,16
run predict "$step" --to T4 --precision recorded
run export --chakra --timeline "$step" --to T4
run export "$step" --to T4
for part in choose e2e pairs ddp; do run eval $part --seed 3; done
run eval choose --no-mlp
run eval choose --seeds 3
for command in info predict choose; do run $command --ranks "$step"; run $command --ranks nowhere.json; done
printf 'op,shape,dtype,gpu\ngemm,m=512 n=512 k=512,fp32,T4\n' >ops.csv
run predict-ops ops.csv --method foo
run predict-ops ops.csv --method roofline
run predict-ops ops.csv --to all
run predict-ops ops.csv --to V100,T4
run predict-ops ops.csv --to V100 --to T4
run predict-ops ops.csv --to "Tesla T4"
# the methods that the message names are those of the manual, and are taken
for method in $("$habitat" predict-ops ops.csv --method foo 2>&1 | sed 's/.*one of //' | tr -d ,); do
    "$habitat" predict-ops --help | sed -n '/--method/,/^ *--models/p' | grep -qw "$method" && "$habitat" predict-ops ops.csv --method "$method" >out && echo "$method"
done
