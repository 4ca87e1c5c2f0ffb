# A table comes back with seven columns added, everything else byte for byte, in order.
cat >ops.csv <<'T'
gpu,op,dtype,B,M,N,K,latency_ms,kernel,split,flag,source
T4,bmm,fp32,64,512,64,512,1.0,"volta_sgemm<a, ""b"">",test,,neusight
V100-PCIE-32GB,linear,fp32,1,4096,1024,4096,3.0,sgemm,test,,neusight
T4,conv2d,fp32,1,4096,1024,4096,3.0,sgemm,test,,neusight
T4,linear,fp32,1,4096,1024,4096,9.0,"two
lines",train,,neusight
T
"$habitat" predict-ops ops.csv >out.csv || exit 1
head -n 1 out.csv
python3 - <<'P'
import csv
rows = list(csv.reader(open("ops.csv", newline=""))), list(csv.reader(open("out.csv", newline="")))
assert len(rows[0]) == len(rows[1]) == 5
for before, after in zip(*rows):
    assert after[: len(before)] == before, (before, after)
    if before[0] == "gpu":
        continue
    print(after[1], "none" if after[-4] == "none" else "a number", end="; ")
    assert (after[-4] == "none") == (after[-3] != ""), after
    if after[-4] not in ("none", "method"):
        low, ms, high = float(after[-6]), float(after[-7]), float(after[-5])
        assert 0 < low <= ms <= high, after
        assert after[-2] in ("calibrated", "default") and after[-1], after
        assert 0.3 < ms / float(before[7]) < 3, after
print()
P
gzip -k ops.csv
"$habitat" predict-ops ops.csv.gz 2>/dev/null | cmp - out.csv && echo "gzip: the same"
sed 's/$/\r/' ops.csv >crlf.csv
"$habitat" predict-ops crlf.csv 2>/dev/null | tr -d '\r' | cmp - out.csv && echo "CRLF: the same"
"$habitat" predict-ops --to A100 ops.csv 2>/dev/null | cut -d, -f1 | head -n 3 | tr '\n' ' '
echo
