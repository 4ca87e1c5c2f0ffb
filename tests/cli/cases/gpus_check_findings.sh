# What --check finds in a user's file is listed and ends with exit code 1.
sed 's/"name": "T4"/"name": "T4-odd"/; s/"aliases": \[[^]]*\]/"aliases": []/; s/"family_aliases": \[[^]]*\]/"family_aliases": []/
     s/"memory_bandwidth_gb_per_s": 320/"memory_bandwidth_gb_per_s": 900/' "$source/data/gpus/T4.json" >odd.json
"$habitat" gpus --check --gpu-file odd.json >out.txt
echo "exit $?"
grep -c "T4-odd" out.txt
"$habitat" gpus --check --gpu-file odd.json --json >out.json
echo "exit $?"
python3 -c 'import json; d = json.load(open("out.json")); print("T4-odd" in json.dumps(d))'
