# Two hand-made steps on two GPUs. "twice": the destination takes twice as long; "part": half of its time is a kernel
# that the other GPU did not run. Errors of "time unchanged" follow by hand: 10/20 - 1 = -50 %, 20/10 - 1 = +100 %.
mkdir made
trace() { # name gpu sms memory kernels...
    out=made/$1.json name=$2 sms=$3 memory=$4
    shift 4
    {
        printf '{"deviceProperties":[{"id":0,"name":"%s","totalGlobalMem":%s,"computeMajor":9,"computeMinor":0,"numSms":%s}],"traceEvents":[' \
            "$name" "$memory" "$sms"
        ts=0 comma=
        for kernel in "$@"; do
            printf '%s{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"device":0,"stream":7,"correlation":%s,"grid":[64,1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0}}' \
                "$comma" "${kernel%:*}" "$ts" "${kernel#*:}" "$ts"
            ts=$((ts + 100)) comma=,
        done
        printf ']}\n'
    } >"$out"
}
h100() { name=$1; shift; trace "${name}_h100" "NVIDIA H100 80GB HBM3" 132 85017493504 "$@"; }
h200() { name=$1; shift; trace "${name}_h200" "NVIDIA H200" 132 150109880320 "$@"; }
h200 twice_b1_fp32 a:6 b:4; h100 twice_b1_fp32 a:12 b:8
h200 part_b2_fp32 a:6 mine:4; h100 part_b2_fp32 a:6 other:6
h200 alone_b1_fp32 a:6
"$habitat" eval pairs --recordings made | sed -n '/time unchanged |/p'
"$habitat" eval pairs --recordings made --csv | grep unchanged
rm made/*_h100.json
"$habitat" eval pairs --recordings made; echo "$?"
"$habitat" eval pairs --recordings nowhere; echo "$?"
echo '{"traceEvents":[' >made/alone_b1_fp32_t4.json
"$habitat" eval pairs --recordings made; echo "$?"
# the shipped ones, two steps of them
mkdir some; cp "$source"/data/recordings/dcgan_b16_fp32_h?00.json.gz "$source"/data/recordings/gnmt_b32_amp_fp16_h?00.json.gz some
"$habitat" eval pairs --recordings some | sed -nE '/^## |^From|time unchanged \||^[|] (auto|models|class|step|form|the rule) /p; /^Chosen/p; /^[|] dcgan/s/[0-9.]+ [|] [0-9.]+\.\.[0-9.]+ [|] [-+0-9.]+ //p'
