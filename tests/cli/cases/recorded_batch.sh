# A recording that does not note its batch size: it is said, and all that it gives follows.
cat >made.py <<'P'
import gzip, json, os, sys
for name in ("resnet50_b4_fp32_h200", "resnet50_b16_fp32_h200"):
    trace = json.load(gzip.open(f"{os.environ['source']}/data/recordings/{name}.json.gz"))
    del trace["habitat"]["batch_size"]
    json.dump(trace, open(name[9:].split("_")[0] + ".json", "w"))
P
python3 made.py
noted=$source/data/recordings/resnet50_b4_fp32_h200.json.gz
same() {
    python3 -c 'import json, sys
noted, said = (json.load(open(name)) for name in ("noted.json", "said.json"))
for of in (noted, said):
    print(of["trace"]["batch_size"], of["trace"].pop("batch_size_source"), end=" ")
    for key in "file", "sha256":
        of["trace"].pop(key)
print(noted == said, said["predictions"][0]["samples_per_s"] is not None)'
}
for options in "--batch 4,8" "--batch 8 --precision amp-fp16 --samples 8000" "--assemble sum" "--gpus 2"; do
    # shellcheck disable=SC2086
    {
        "$habitat" predict "$noted" --to T4,L4 --json $options >noted.json
        "$habitat" predict b4.json --recorded-batch 4 --to T4,L4 --json $options >said.json
    }
    same
done
"$habitat" predict "$noted" --batch 8 --batch-from "$source/data/recordings/resnet50_b16_fp32_h200.json.gz" --to T4 --json >noted.json
"$habitat" predict b4.json --batch 8 --batch-from b16.json --recorded-batch 4,16 --to T4 --json >said.json
same
"$habitat" info b4.json --recorded-batch 4 | grep -E "^Batch|batch size"
"$habitat" info b4.json | grep -E "^Batch|batch size" -A 1
"$habitat" info b4.json --json | grep '"batch_size'
"$habitat" choose b4.json b16.json --recorded-batch 4,16 --to T4,L4 --gpus 1,2 --json | grep -c '"samples_per_s": [0-9]'

echo "refused:"
refused() {
    "$habitat" "$@" >out 2>err && echo "not refused"
    echo "$? $(cat err)"
    cat out
}
refused predict b4.json --batch 8
refused predict b4.json --samples 1000
refused predict b4.json --batch 8 --batch-from b16.json --recorded-batch 4
refused predict "$noted" --recorded-batch 8
refused info b4.json --recorded-batch 3
refused predict b4.json --batch 8 --batch-from b16.json --recorded-batch 4,12
for word in 0 04 -4 4.0 4e0 "4 4" "" 4,4 1099511627777; do
    refused predict b4.json "--recorded-batch=$word"
done

echo "without shapes nothing bears it out:"
python3 -c 'import json
trace = json.load(open("b4.json"))
for e in trace["traceEvents"]:
    for key in [key for key in e.get("args", {}) if key.startswith(("Input ", "Concrete"))]:
        del e["args"][key]
json.dump(trace, open("bare.json", "w"))'
"$habitat" predict bare.json --recorded-batch 5 --to T4 | grep -A 1 "as said"
"$habitat" predict bare.json --recorded-batch 5 --batch 10 --to T4 2>&1 | grep -A 1 "carry the batch"
for batch in 5 10 80; do
    "$habitat" predict bare.json --recorded-batch 5 --batch $batch --to T4 --assemble sum --json | python3 -c "
import json, sys
row = json.load(sys.stdin)['predictions'][0]
print('$batch: high over low is', 'more than 2.5' if row['high_ms'] > 2.5 * row['low_ms'] else 'less')"
done

echo "a length of sequences, a width and a half are no batch:"
python3 -c 'import gzip, json, os
trace = json.load(gzip.open(os.environ["source"] + "/data/recordings/gpt2_b4_bf16_h200.json.gz"))
del trace["habitat"]["batch_size"]
json.dump(trace, open("gpt2.json", "w"))'
for size in 1024 768 2; do refused info gpt2.json --recorded-batch $size; done
"$habitat" info gpt2.json --recorded-batch 4 | grep "^Batch"
