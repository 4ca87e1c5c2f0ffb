# Versions of the libraries, as the recorder writes them: cuDNN counts two ways.
for cudnn in 91900 8907 null '"new"'; do
    sed 's/"habitat": {/"habitat": {"cuda_version": "13.0", "hip_version": null, "driver_version": "580.159.04", "cudnn_version": '"$cudnn"',/' \
        "$fixtures/step.json" >step.json
    "$habitat" info step.json 2>&1 | grep -E '^Libraries|cudnn'
done
"$habitat" info step.json --json 2>&1 | grep cudnn
sed 's/"habitat": {/"habitat": {"cuda_version": "12.8", "cudnn_version": 91002,/' "$fixtures/step.json" >step.json
"$habitat" info step.json --json | grep -E '"(cuda|hip|cudnn|driver)_version"'
"$habitat" predict step.json --to T4 --method bandwidth --json 2>/dev/null | grep -E '"(cuda|hip|cudnn|driver)_version"'
