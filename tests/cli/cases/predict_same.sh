# One question, one answer: the recorded batch size and one GPU are the recording as it is; N GPUs take no more samples a second than N times one, and no less
# time than fewer; the largest batch that is told fits, of one more that is not said, whichever batch is asked for.
for name in bert_b2_tf32_h200 dcgan_b16_amp_fp16_h200 gnmt_b16_fp32_h200 resnet50_b64_amp_bf16_h100 vit_b16_amp_bf16_h200; do
    python3 - "$habitat" "$source/data/recordings/$name.json.gz" <<'PYTHON' || echo "$name: failed"
import json, subprocess, sys

def ask(*options):
    command = [sys.argv[1], "predict", sys.argv[2], "--to", "H200-SXM5-141GB,T4,RTX3090", "--json", *options]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return said["trace"]["batch_size"], said["predictions"]

batch, plain = ask()
assert ask("--batch", str(batch))[1] == plain, "the recorded batch size"
assert ask("--gpus", "1")[1] == plain, "one GPU"
before = plain
for count in (2, 4, 8, 16):
    rows = ask("--gpus", str(count))[1]
    for row, fewer, one in zip(rows, before, plain):
        assert row["samples_per_s"] <= count * one["samples_per_s"] * (1 + 1e-9), (row["gpu"], count)
        assert row["iteration_ms"] >= fewer["iteration_ms"] * (1 - 1e-9), (row["gpu"], count)
    before = rows
for row in plain:
    most = row["largest_batch"]
    for said in ask("--batch", f"{most},{most + 1}")[1]:
        if said["gpu"] == row["gpu"]:
            assert (said["fits"] is True) == (said["batch_size"] == most), (row["gpu"], said["batch_size"])
            assert said["largest_batch"] == most, (row["gpu"], said["batch_size"])
PYTHON
done
echo asked
