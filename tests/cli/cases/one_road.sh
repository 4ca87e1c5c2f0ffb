# The same operation asked by `op`, by a row of a table and by Python gets the same number on every GPU.
"$habitat" gpus --csv | cut -d, -f1 | tail -n +2 >gpus.txt
compare() { # words of the row: op dtype pass shape; then those of `op`
    op=$1 dtype=$2 pass=$3 shape=$4
    shift 4
    { echo "gpu,op,dtype,pass,shape"; sed "s/\$/,$op,$dtype,$pass,$shape/" gpus.txt; } >rows.csv
    "$habitat" predict-ops rows.csv >table.csv 2>/dev/null
    "$habitat" op "$op" "$@" --dtype "$dtype" --pass "$pass" --csv >op.csv 2>/dev/null
    python3 - "$op $dtype $pass" <<'P'
import csv, sys
table = {r["gpu"]: (r["predicted_ms"], r["low_ms"], r["high_ms"], r["method"]) for r in csv.DictReader(open("table.csv"))}
op = {r["gpu"]: (*("%.6g" % float(r[k]) for k in ("ms", "low_ms", "high_ms")), r["method"]) for r in csv.DictReader(open("op.csv"))}
differ = [gpu for gpu in op if op[gpu] != table[gpu]]
print(sys.argv[1], "the same on every GPU" if len(op) == len(table) > 70 and not differ else (len(op), len(table), [(g, op[g], table[g]) for g in differ[:3]]))
P
}
compare gemm bf16 forward "m=512 n=512 k=64" --m 512 --n 512 --k 64
compare gemm fp8 backward-weight "m=512 n=512 k=64" --m 512 --n 512 --k 64
compare conv2d tf32 backward "batch=8 c_in=64 c_out=64 size=28 kernel=3 padding=1" --batch 8 --in-channels 64 --out-channels 64 --size 28 --kernel 3 --padding 1
compare conv2d fp16 forward "batch=8 c_in=64 c_out=64 size=28 kernel=3 groups=64" --batch 8 --in-channels 64 --out-channels 64 --size 28 --kernel 3 --groups 64
compare lstm fp16 forward "batch=8 steps=10 input=64 hidden=64" --batch 8 --steps 10 --input 64 --hidden 64
compare layer_norm fp32 backward "rows=4096 columns=512" --rows 4096 --columns 512
compare sum fp32 forward "rows=4096 columns=512" --rows 4096 --columns 512
compare relu bf16 forward "elements=1000000" --elements 1000000
compare relu bf16 backward "elements=1000000" --elements 1000000
compare gelu fp16 backward "elements=1000000" --elements 1000000
# Five flop an element: on an RTX 4090 (1.29 Tflop/s in fp64, 1 TB/s) more than its 16 bytes, 3.876 us.
compare gelu fp64 forward "elements=1000000" --elements 1000000
compare silu fp64 backward "elements=1000000" --elements 1000000
compare linear fp32 forward "m=512 n=512 k=64" --m 512 --n 512 --k 64
compare bmm fp16 forward "b=1 m=512 n=512 k=64" --b 1 --m 512 --n 512 --k 64
compare attention tf32 forward "batch=2 heads=4 kv_heads=4 length=512 head_dim=64" --batch 2 --heads 4 --length 512 --head-dim 64
compare attention bf16 backward "batch=2 heads=4 kv_heads=2 length=512 kv_length=128 head_dim=64 causal=1" --batch 2 --heads 4 --kv-heads 2 --kv-length 128 --length 512 --head-dim 64 --causal
