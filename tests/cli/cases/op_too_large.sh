# What no GPU holds, what no memory holds, and what no kernel computes.
"$habitat" op gemm --m 65536 --n 65536 --k 4096 --to T4,L4,H200 --csv
"$habitat" op copy --elements 3000000000 --to T4,H200 --csv
"$habitat" op gemm --m 1e15 --n 1 --k 1 --to T4; echo $?
"$habitat" op bmm --b 1e9 --m 1e9 --n 1 --k 1e9 --to T4; echo $?
"$habitat" op softmax --rows 1024 --columns 1024 --dtype int8 --to T4; echo $?
"$habitat" op add --elements 1000000 --dtype int16 --to T4 --csv
