# One table of predictions, whatever chose its rows: the same columns, marks and verdict; the column sorted by; a price given; other vendors.
trace="$fixtures/step.json"
for asked in "" "--top 3" "--all" "--to L40S,T4" "--since 2024 --top 4" "--vendor any --top 5" "--to all --top 2"; do
    # shellcheck disable=SC2086
    "$habitat" predict "$trace" $asked | sed -n '/^GPU/{s/  */ /g;p}'
done | sort | uniq -c | sed 's/^ *//'
echo "the column sorted by"
for sort in cost price energy memory date name; do
    "$habitat" predict "$trace" --to L40S,T4,A100-SXM4-80GB --sort $sort | sed -n '4,8p'
done
echo "the first of all have the memory; what is left out is counted, marks are explained"
"$habitat" predict "$trace" --sort price --top 4 | sed '1,3d'
"$habitat" predict "$trace" --vendor AMD --top 2 | sed '1,3d'
echo "a price of one's own; one GPU has no verdict"
"$habitat" predict "$trace" --to L40S,T4 --price L40S=100 | sed -n '4,/^Note/p;/^Fastest/,$p'
"$habitat" predict "$trace" --to L40S --price L40S=1 | grep -c 'Fastest'
echo "other vendors have their turn"
"$habitat" predict "$trace" --vendor any | sed -n '6,/^$/p' | cut -c 1-2 | grep -c 'MI\|R[X9]\|W[67]'
echo "columns that are named, behind what tells rows apart; the mark of an interval where marks are not shown"
"$habitat" predict "$trace" --to L40S,MI300X --columns interval | sed -n '4,7p'
"$habitat" predict "$source/data/recordings/resnet50_b4_fp32_h200.json.gz" --to L40S --batch 8,16 --columns ratio,ratio | sed -n '4,7p'
"$habitat" predict "$trace" --to L40S --columns hours,usd --steps 1000 | sed -n '4,5p'
echo "whatever the length of the training, names stand whole and lines in 80 columns"
for steps in 100 1000000000000000; do
    "$habitat" predict "$trace" --steps $steps >out
    grep -c '^[A-Z0-9-]*[.][.]' out
    grep -c '.\{81\}' out
    grep -o '\$[^ ]* in all' out
done
COLUMNS=60 "$habitat" predict "$trace" --to RTXPRO6000-Workstation,L40S --steps 10 | sed -n '/^GPU/,/^$/p'
COLUMNS=120 "$habitat" predict "$trace" --to RTXPRO6000-Workstation,L40S --steps 10 | sed -n '/^GPU/,/^$/p'
