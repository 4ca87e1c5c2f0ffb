# Names in a trace cannot steer a terminal, in whatever form they are shown.
evil='\\u001b]0;x\\u0007\\u009b31m\\u007f\\r'
sed -e "s/\"aten::/\"aten::$evil/" -e "s/_kernel/$evil&/" -e "s/nn.Module: /&$evil/" "$fixtures/step.json" >"$(printf 'a\033b.json')"
for form in "" --json --csv; do
    for by in op kernel module class; do
        "$habitat" predict a*b.json --to T4 --by $by $form
        "$habitat" explain a*b.json --to T4 --by $by $form
    done
    "$habitat" info a*b.json $form
done >out 2>&1
LC_ALL=C tr -d '\n\t' <out | LC_ALL=C tr -dc '\000-\037\177' | wc -c
grep -c "$(printf '\302\233')" out
"$habitat" predict a*b.json --to T4 --by op --csv 2>/dev/null | grep -o "aten::.x1b.*m.x7f.x0d" | sort -u | sed -n 1p
