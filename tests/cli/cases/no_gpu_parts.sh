# A recording without a GPU that notes no peak: weights and the optimiser's state are too large for small GPUs, of others nothing is known.
# Its rows have the classes of their operations.
llama=$source/data/recordings/without_gpu/llama_8b_b1_s8192_bf16.json.gz
"$habitat" predict "$llama" --to T4,RTX4090,H200-SXM5-141GB --json 2>/dev/null | grep -E '"(fits|memory_bytes|largest_batch)"'
"$habitat" choose "$llama" 2>/dev/null | grep 'Left out'
"$habitat" predict "$source/data/recordings/without_gpu/dcgan_b64_fp32.json.gz" --to T4 --by op --json 2>/dev/null |
    sed -n 's/^ *"class": "\(.*\)",*$/\1/p' | sort | uniq -c
