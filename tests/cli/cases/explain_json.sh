"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth --json --by kernel >out.json
python3 "$source/tests/cli/predicted.py" explain <out.json
python3 -c "import json; print([(r[\"kernel\"], r[\"operation\"], r[\"ms\"]) for r in json.load(open(\"out.json\"))[\"rows\"]][:4])"
