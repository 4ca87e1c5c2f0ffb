# `eval choose` leaves no GPU out, however many there are.
cp -r "$source/data/recordings/bert_large_inference_s512_b8_fp32_h200.json.gz" .
mkdir data
head -n 1 "$source/data/measurements/e2e_models.csv" >data/e2e_models.csv
"$habitat" gpus --json | sed -n 's/^ *"name": "\([^"]*\)",*$/\1/p' | sed -n 1,70p |
    awk '{ print "neusight,BERT-Large,inference,fp32," $1 ",1,8,512,," 100 + NR ",," 100 + NR ",,,,,,,made," }' >>data/e2e_models.csv
"$habitat" eval choose --data data --recordings . 2>/dev/null | grep "^| .*peak FLOP/s" | cut -d '|' -f 2-4 # 70 x 69 / 2 pairs
