# `eval choose` leaves no GPU out, however many there are; `eval ddp` takes the recording that a row names, of the row's GPU.
cp -r "$source/data/recordings/bert_large_inference_s512_b8_fp32_h200.json.gz" .
mkdir data two_gpus
head -n 1 "$source/data/measurements/e2e_models.csv" >data/e2e_models.csv
"$habitat" gpus --json | sed -n 's/^ *"name": "\([^"]*\)",*$/\1/p' | sed -n 1,70p |
    awk '{ print "neusight,BERT-Large,inference,fp32," $1 ",1,8,512,," 100 + NR ",," 100 + NR ",,,,,,,made," }' >>data/e2e_models.csv
"$habitat" eval choose --data data --recordings . 2>/dev/null | grep "^| .*peak FLOP/s" | cut -d '|' -f 2-4 # 70 x 69 / 2 pairs
row() { # GPU RECORDING: a row of both tables
    printf 'gpu,gpus,framework,model,precision,batch,iteration_ms,group_ms,recording\n%s,2,torch,resnet50,tf32,64,33.7742,33.7742,%s\n' \
        "$1" "$2" | tee two_gpus/measured_ddp.csv >measured_ddp.csv
}
ddp() { "$habitat" eval ddp --recordings . --csv | cut -d , -f 1-4; }
row "NVIDIA H200" a
ddp
cp "$source/data/recordings/resnet50_b4_fp32_h100.json.gz" two_gpus/a.json.gz
ddp
cp "$source/data/recordings/two_gpus/resnet50_b64_tf32_h200.json.gz" two_gpus/a.json.gz
cp two_gpus/a.json.gz a.json.gz
ddp
row "NVIDIA H2000" a
ddp
row "NVIDIA H200" ../a
ddp
