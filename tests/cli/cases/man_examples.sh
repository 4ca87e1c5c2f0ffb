# Every example of the pages runs, in a folder with a trace of that name.
cp "$source/data/recordings/resnet50_b4_fp32_h200.json.gz" trace.json.gz
for verb in info predict choose explain op gpus; do
    awk '/^# /{ inside = $0 == "# EXAMPLES" } inside && /^    /' "$source/docs/man/habitat-$verb.1.md" |
        sed 's/^ *//' >examples
    # a line that ends in a backslash goes on
    sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' examples >joined
    while read -r line; do
        sh -c "habitat() { \"$habitat\" \"\$@\"; }; $line" >out 2>err || echo "failed: $line: $(cat err)"
        [ -s out ] || echo "printed nothing: $line"
        echo "$verb" >>ran
    done <joined
done
sort ran | uniq -c | sed 's/^ *//'
