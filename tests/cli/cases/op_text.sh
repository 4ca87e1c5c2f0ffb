"$habitat" op gemm --m 1024 --n 1024 --k 1024 --to T4 --method roofline
