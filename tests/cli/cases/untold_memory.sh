# Why no memory is told of another batch size: kernels of a compiler keep what no trace lists. As recorded, and of a step without such, nothing is said.
recordings=$source/data/recordings
ask() {
    "$habitat" predict "$recordings/$1" --recorded-batch 2 --to H100-SXM5-80GB --batch "$2" --json | grep -oE '"memory_bytes": null|memory is not told[^"]*'
}
ask training_ways/compiled_words_b2_h200.json.gz 8
ask training_ways/compiled_words_b2_h200.json.gz 2
ask bert_b2_fp32_h100.json.gz 8
true
