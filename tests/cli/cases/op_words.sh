# The operations of `op`, those of a table, those that the manual lists and those of docs/dataset.md are the same.
printf 'op,shape,dtype\nnosuch,m=8,fp32\n' >wrong.csv
"$habitat" predict-ops wrong.csv --to T4 2>&1 >/dev/null | sed 's/.*choose one of: //' | tr -d ' \n' | tr , '\n' | sort >table
"$habitat" op --help | tr '\n' ' ' | sed 's/.*OPERATION is one of: //; s/\..*//' | tr -d ' ' | tr , '\n' | sort >help
sed -n 's/.*any word of `habitat op` (\([^)]*\)).*/\1/p' "$source/docs/dataset.md" | tr -d ' ' | tr , '\n' | sort >docs
cmp table help && cmp table docs && wc -l <help
while read -r word; do "$habitat" op "$word" 2>&1 | grep -q "^habitat: $word: needs --" || echo "$word is no operation"; done <table
"$habitat" op conv_transpose2d --batch 4 --in-channels 64 --out-channels 32 --kernel 4 --size 28 --stride 2 --padding 1 --to T4 --csv 2>/dev/null >a
"$habitat" op conv2d --transposed --batch 4 --in-channels 64 --out-channels 32 --kernel 4 --size 28 --stride 2 --padding 1 --to T4 --csv 2>/dev/null >b
grep -o "fp32,forward.*" a >c; grep -o "fp32,forward.*" b | cmp - c && wc -l <c
"$habitat" op div --elements 33554432 --to T4 --csv 2>/dev/null | cut -d, -f1-5
