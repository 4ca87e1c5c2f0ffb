"$habitat" op gemm --m 4
