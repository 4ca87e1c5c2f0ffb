"$habitat" op gemm --m 0 --n 4 --k 4
