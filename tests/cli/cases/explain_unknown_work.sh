# The flop and bytes of a row are those of all its kernels, or null: one of unknown work counts from a hundredth of the row's time on.
awk 'function span(cat, name, ts, dur, more) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"ts\":%d,\"dur\":%d,%s}", comma, cat, name, ts, dur, more; comma = ",\n" }
function layer(module, op, us) {
    t += 3000; n++
    span("user_annotation", "nn.Module: Net." module, t, 50, "\"pid\":1,\"tid\":1,\"args\":{}")
    span("cpu_op", op, t + 10, 20, "\"pid\":1,\"tid\":1,\"args\":{\"Input Dims\":[[8,8],[8,8],[8,8]],\"Input type\":[\"float\",\"float\",\"float\"]}")
    span("cuda_runtime", "cudaLaunchKernel", t + 15, 2, "\"pid\":1,\"tid\":1,\"args\":{\"correlation\":" n "}")
    span("kernel", "k", t + 40, us, "\"pid\":0,\"tid\":7,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" n "}") }
BEGIN {
    print "{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H200\"}],\"traceEvents\":["
    layer("all", "aten::relu", 1000); layer("all", "aten::relu", 500)
    layer("nearly", "aten::relu", 1000); layer("nearly", "my::own", 10)
    layer("part", "aten::relu", 1000); layer("part", "my::own", 20)
    layer("blocks.0.up", "aten::relu", 100); layer("blocks.1.up", "my::own", 100)
    print "]}" }' >work.json
columns() { "$habitat" explain "$@" --csv 2>/dev/null | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row.get("module") or row.get("op") or row.get("class"), row["kernels"], *(row[k] or "-" for k in ("flop", "bytes")),
          *("%.3g" % float(row[k]) if row[k] else "-" for k in ("compute_share", "memory_share")))'; }
columns work.json --to T4 --by module
columns work.json --to T4 --by op
"$habitat" explain work.json --to T4 --by module | sed -n '/DRAM/,/^$/p'
# a real step: of the optimiser's row 13 kernels of 19; layouts that a convolution changes are no work of its own
resnet=$source/data/recordings/resnet50_b16_fp32_h200.json.gz
columns "$resnet" --to T4 --by module | grep -e "^(no" -e "conv1 " | head -n 3
columns "$resnet" --to T4 --by class
