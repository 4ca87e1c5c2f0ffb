# A batch size that the recording notes and next to none of its sizes hold (16 images are recorded):
# another one is refused, as the answer would be the recorded time. As recorded it is predicted.
cat >made.py <<'P'
import gzip, json, os
trace = json.load(gzip.open(f"{os.environ['source']}/data/recordings/resnet50_b16_fp32_h200.json.gz"))
for batch in 16, 17, 32:
    trace["habitat"]["batch_size"] = batch
    json.dump(trace, open(f"noted{batch}.json", "w"))
P
python3 made.py
for batch in 16 17 32; do
    for asked in $batch 64 "$batch,64"; do
        "$habitat" predict noted$batch.json --batch "$asked" --to H200-SXM5-141GB --json >out 2>err
        echo "noted $batch, asked $asked: exit $?, $(grep -c '"low_ms"' out) rows, $(cat err)"
    done
done
"$habitat" choose noted32.json --batch 64 --to T4,L4
echo "choose: exit $?"
