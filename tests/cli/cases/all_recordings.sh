# Every command on every recording: JSON as agreed, nothing wider than 80 columns, no escape codes.
set -e
for name in resnet50_b4_fp32_h200 gpt2_b4_bf16_h100 gnmt_b16_fp32_h200 dcgan_b64_amp_fp16_h100 \
    opt_1.3b_inference_s2048_b2_fp32_h200; do
    file=$source/data/recordings/$name.json.gz
    "$habitat" info "$file" --json | python3 "$source/tests/cli/predicted.py" info
    "$habitat" predict "$file" --json | python3 "$source/tests/cli/predicted.py" predict
    "$habitat" explain "$file" --to T4 --json | python3 "$source/tests/cli/predicted.py" explain
    "$habitat" info "$file" >>text
    "$habitat" predict "$file" >>text
    case $name in resnet50_b4_* | gnmt_b16_*) ;; *) continue ;; esac
    for split in kernel op class module; do
        "$habitat" explain "$file" --to T4 --json --by $split |
            python3 "$source/tests/cli/predicted.py" explain
        "$habitat" explain "$file" --to T4 --by $split >>text
        "$habitat" predict "$file" --to T4,H200-SXM5-141GB --by $split >>text
        "$habitat" predict "$file" --to T4 --by $split --csv 2>/dev/null | python3 -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
assert len(rows) > 1 and len({len(row) for row in rows}) == 1, "ragged CSV"'
    done
done | sort | uniq -c | sed 's/[0-9]* predictions/N predictions/' | sort -u | sed 's/^ *[0-9]* //'
python3 - <<'PY'
lines = open("text", encoding="utf-8").read().splitlines()
assert len(lines) > 300
for line in lines:
    assert len(line) <= 80, line
    assert line == line.rstrip(), repr(line)
    assert "\033" not in line and "nan" not in line.split() and "inf" not in line.split(), line
PY
