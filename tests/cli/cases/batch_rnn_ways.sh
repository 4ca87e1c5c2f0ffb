# A GPU that runs an LSTM step by step at every batch size has no jump where the recorded one has one kernel for all steps.
"$habitat" predict "$source/data/recordings/in_turns_again/gnmt_b16_amp_bf16_h100.json.gz" --batch 15,16,17 --to T4,A10G,L4 --json 2>/dev/null | python3 -c '
import json, sys
rows = json.load(sys.stdin)["predictions"]
for gpu in ("T4", "A10G", "L4"):
    ms = [next(c["ms"] for c in r["by_class"] if c["class"] == "rnn") for r in rows if r["gpu"] == gpu]
    print(gpu, len(ms), all(1 <= b / a < 1.1 for a, b in zip(ms, ms[1:])))'
