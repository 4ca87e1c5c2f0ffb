# What an iteration waits for, where only the GPU's busy time is given (--assemble sum), goes by the
# recording at every batch size and precision: its CPU's time is known where the GPU waited for it, and
# else it is shorter than the recorded busy time. Samples per second and per dollar, and at_least, agree.
ask() {
    recording=$1
    shift
    "$habitat" predict "$source/data/recordings/$recording" --assemble sum --json "$@" | python3 -c '
import json, sys
for p in json.load(sys.stdin)["predictions"]:
    rates = ["no" if p[key] is None else "yes" for key in ("samples_per_s", "samples_per_usd")]
    print(p["gpu"], p["batch_size"], "%.0f ms" % p["iteration_ms"], p["bound_by"], "rates", *rates, "at least", p["at_least"])'
}
echo "the recorded GPU is busy all the time: 122 ms of 123, batch size 512 (by replay all of batch size 1 wait for the CPU)"
ask full_size/resnet50_b512_amp_bf16_h100.json.gz --batch 1,512 --to T4,A10,H100-SXM5-80GB,B200-SXM-180GB
echo "the recorded GPU waited: busy 75 ms of 84; a T4 and a V100 compute in fp16"
ask bert_b8_amp_bf16_h100.json.gz --to T4,A10,H100-SXM5-80GB,B200-SXM-180GB
ask bert_b8_amp_bf16_h100.json.gz --batch 4 --to T4,A10,H100-SXM5-80GB,B200-SXM-180GB
ask bert_b8_amp_bf16_h100.json.gz --precision fp32 --to T4,H100-SXM5-80GB,B200-SXM-180GB
