# What --check finds in a user's file is listed and ends with exit code 1.
sed 's/"name": "T4"/"name": "T4-odd"/; s/"aliases": \[[^]]*\]/"aliases": []/; s/"family_aliases": \[[^]]*\]/"family_aliases": []/
     s/"memory_bandwidth_gb_per_s": 320/"memory_bandwidth_gb_per_s": 900/' "$source/data/gpus/T4.json" >odd.json
"$habitat" gpus --check --gpu-file odd.json >out.txt
echo "exit $?"
grep -c "T4-odd" out.txt
"$habitat" gpus --check --gpu-file odd.json --json >out.json
echo "exit $?"
python3 -c 'import json; d = json.load(open("out.json")); print("T4-odd" in json.dumps(d))'
# Who predicts with such a file is told what is odd of it.
"$habitat" op add --elements 4096 --to T4-odd --gpu-file odd.json 2>&1 >/dev/null | grep T4-odd
"$habitat" predict "$source/data/recordings/bert_b2_fp32_h200.json.gz" --to T4-odd --gpu-file odd.json --json 2>/dev/null | grep -c 'T4-odd: '
mkdir -p config/habitat/gpus; cp odd.json config/habitat/gpus
XDG_CONFIG_HOME=$PWD/config "$habitat" choose "$source/data/recordings/bert_b2_fp32_h200.json.gz" --to T4-odd 2>&1 >/dev/null | grep -c 'T4-odd: '
"$habitat" predict "$source/data/recordings/bert_b2_fp32_h200.json.gz" --to T4 2>&1 >/dev/null | grep -c 'T4'
true
