# A CPU that is stated narrows an interval by its own doubt alone; a note says what of short kernels stays, where it moves an end.
data=$source/data/recordings
stays() { "$habitat" predict "$@" --json 2>/dev/null | grep -o 'reach up to [0-9.]* times the time whatever CPU is stated' || echo "-"; }
step=$data/resnet50_b4_fp32_h200.json.gz
stays "$step" --to L40S,RTX4090
stays "$step" --to L40S,RTX4090 --cpu-scale 0.5
stays "$step" --to H100-SXM5-80GB --cpu-scale 0.5 # one chip: its interval is of pairs
stays "$data/llama_b4_bf16_h200.json.gz" --to L40S --cpu-scale 0.5 # long kernels
stays "$step" --to L40S --method bandwidth --cpu-scale 0.5 # a default width
