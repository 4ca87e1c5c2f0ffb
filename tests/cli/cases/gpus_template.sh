# From the template to a GPU of one's own: eleven values filled in, one check, and a prediction.
"$habitat" gpus --template >mine.json
cmp mine.json "$source/data/schema/gpu-template.json" && echo "the template is that of data/schema"
"$habitat" gpus --check --gpu-file mine.json 2>&1 | grep -o "missing: .*;"
sed -e 's/"name": null/"name": "My-4060"/' -e 's/"compute_capability": null/"compute_capability": "8.9"/' \
    -e 's/"sm_count": null/"sm_count": 24/' -e 's/"boost_clock_mhz": null/"boost_clock_mhz": 2460/' \
    -e 's/"tdp_w": null/"tdp_w": 115/' -e 's/"memory_gib": null/"memory_gib": 8/' -e 's/"memory_type": null/"memory_type": "GDDR6"/' \
    -e 's/"memory_ecc": null/"memory_ecc": "none"/' -e 's/"memory_bandwidth_gb_per_s": null/"memory_bandwidth_gb_per_s": 272/' -e 's/"l2_mib": null/"l2_mib": 24/' \
    -e 's/"fp16": null/"fp16": 30.2/' mine.json >own.json
"$habitat" gpus --check --gpu-file own.json >checked && echo "checked: $?, $(cut -d , -f 2 checked)"
sed '/"memory_ecc": "none"/d' own.json >checked.json
"$habitat" gpus --check --gpu-file checked.json | grep -o "memory_ecc is missing.*"
"$habitat" gpus My-4060 --gpu-file own.json --csv | grep -e ^architecture -e ^peak_ -e ^release -e ^fp32_lanes
mkdir -p "$XDG_CONFIG_HOME/habitat/gpus" && cp own.json "$XDG_CONFIG_HOME/habitat/gpus"
"$habitat" predict "$fixtures/step.json" --to My-4060 --csv 2>/dev/null | cut -d , -f 1,2
"$habitat" gpus | grep -c My-4060
"$habitat" gpus --template T4
