# --batch-from with a recording of another version of the framework, CUDA or cuDNN says so; with the same, or where a version is not recorded, nothing.
recordings=$source/data/recordings
other() { gzip -dc "$recordings/dcgan_b16_fp32_h200.json.gz" | sed "$1" >b16.json; }
note() { "$habitat" predict "$recordings/dcgan_b96_fp32_h200.json.gz" --to T4 --batch 48 --batch-from b16.json --json | python3 -c '
import json, sys
print([w for w in json.load(sys.stdin)["warnings"] if "second recording was" in w])'; }
other ''
note 2>/dev/null
other 's/"torch 2[^"]*"/"torch 3.0.0"/'
note 2>/dev/null
other 's/"cuda_version": *"[^"]*"/"cuda_version": "99.9"/'
note 2>/dev/null
other 's/"cudnn_version": *[0-9]*/"cudnn_version": 1/'
note 2>/dev/null
