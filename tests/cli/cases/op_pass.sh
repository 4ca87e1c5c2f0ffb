"$habitat" op gemm --m 4 --n 4 --k 4 --pass sideways
