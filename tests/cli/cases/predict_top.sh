# --top without --by: the fastest GPUs in the table; JSON and CSV hold every GPU.
all=$("$habitat" gpus --csv | sed 1d | wc -l)
"$habitat" predict "$fixtures/step.json" --csv 2>/dev/null | sed 1d | sort -t , -g -k 3 | cut -d , -f 1 | head -n 4 >fastest
"$habitat" predict "$fixtures/step.json" --top 4 >top
awk '/ms  *ms/ { inside = 1; next } /^$/ { inside = 0 } inside { print $1 }' top | sort >shown
sort fastest | cmp - shown && echo "the four fastest"
tr "\n" " " <top | grep -c " $((all - 4)) more are left out: --top 4. "
"$habitat" predict "$fixtures/step.json" --to V100-PCIE-16GB,T4,L4 --by class --top 1 | grep -e ^V100 -e ^T4 -e ^L4 -e "left out" | wc -l
"$habitat" predict "$fixtures/step.json" --to T4,L4 --top 2 | grep -c "left out"
"$habitat" predict "$fixtures/step.json" --top 3 --json | grep -c "\"bound_by\": .*" | sed "s/^$((all + 1))$/all, and the origin/"
"$habitat" predict "$fixtures/step.json" --top 3 --csv 2>/dev/null | wc -l | sed "s/^$((all + 1))$/all, and the header/"
