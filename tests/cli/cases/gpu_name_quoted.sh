# A GPU of a user's file may have any name without a comma: what is written stays JSON and CSV, whatever part it plays.
step=$fixtures/step.json
python3 - "$source/data/gpus/H200-SXM5-141GB.json" <<'P'
import json, sys
gpu = json.load(open(sys.argv[1])) | {"name": 'My "H200" \\ ☃', "aliases": []}
gpu.pop("family_aliases", None)
json.dump(gpu, open("mine.json", "w"))
P
name='My "H200" \ ☃'
"$habitat" export --timeline "$step" --gpu-file mine.json --from "$name" --to L4 -o from.json
"$habitat" export --timeline "$step" --gpu-file mine.json --to "$name" -o to.json
"$habitat" predict "$step" --gpu-file mine.json --from "$name" --to "$name" --json >predicted.json 2>/dev/null
"$habitat" predict "$step" --gpu-file mine.json --to "$name" --csv >predicted.csv 2>/dev/null
python3 - <<'P'
import csv, json
print(json.load(open("from.json"))["habitat_prediction"]["origin"])
print(json.load(open("to.json"))["habitat_prediction"]["gpu"])
predicted = json.load(open("predicted.json"))
print(predicted["trace"]["gpu"], predicted["predictions"][0]["gpu"])
print(next(csv.DictReader(open("predicted.csv", newline="")))["gpu"])
P
