# A name of 96 letters is cut in the middle, in whatever answers with text: no line is longer than 80 columns.
name=$(printf 'a%.0s' $(seq 45))_the_middle_$(printf 'z%.0s' $(seq 40)).json
cp "$fixtures/step.json" "$name"
for command in "predict $name" "predict $name --all" "explain $name --to T4" "choose $name --objective time" "info $name"; do
    "$habitat" $command >out 2>&1 || echo "exit $?"
    grep -o 'aaa*[.][.]z*[.]json' out | uniq
    grep '.\{81\}' out
    grep -c _the_middle_ out
done
exit 0
