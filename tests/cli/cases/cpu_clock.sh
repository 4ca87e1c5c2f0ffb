# Where the GPU bound a recording, the recorder's clock says what the CPU takes: in JSON, and in the note where that decides. Without it a rule does.
set -e
data=$source/data/recordings/in_turns/dcgan_b128_fp32_h200.json.gz
gzip -dc "$data" | sed 's/"cpu_ms":/"cpu_was":/' >without.json
for trace in "$data" without.json; do
    "$habitat" predict "$trace" --to B200-SXM-180GB --precision amp-bf16 --json >row.json 2>notes
    python3 -c '
import json
answer = json.load(open("row.json"))
row = answer["predictions"][0]
said = [note for note in answer["warnings"] if "set by the CPU of the recorded host" in note]
print(row["bound_by"], row["cpu_basis"], ["clock" if "by the recorder\u0027s clock" in note else "rule" if "by rule" in note else note for note in said])'
done
