# What a GPU has no matrix units for is predicted in another format, and that is said; where all have them, nothing is.
"$habitat" op gemm --m 4096 --n 4096 --k 4096 --dtype bf16 --to V100-SXM2-16GB,A100-SXM4-80GB,T4 --json | grep -c '"ms"'
"$habitat" op softmax --rows 4096 --columns 4096 --dtype bf16 --to V100-SXM2-16GB --csv | wc -l
"$habitat" op gemm --m 4096 --n 4096 --k 4096 --dtype bf16 --to A100-SXM4-80GB --csv | wc -l
