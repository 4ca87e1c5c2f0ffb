# Formats that no model knows: a recurrent layer takes a launch a step at least, the answer reaches far up, and a note says why;
# what is computed in fp64 is not quicker than its units are.
"$habitat" op lstm --batch 1 --steps 1000 --input 128 --hidden 128 --dtype fp64 --to H100-SXM5-80GB
"$habitat" op conv2d --batch 32 --in-channels 64 --out-channels 64 --kernel 3 --size 56 --padding 1 --dtype fp8 --to H100-SXM5-80GB
"$habitat" op attention --batch 8 --heads 16 --length 2048 --head-dim 64 --dtype fp64 --to A100-SXM4-80GB
"$habitat" op gelu --elements 300000000 --pass backward --dtype fp64 --to B300-SXM-288GB,H100-SXM5-80GB
# fp8 on GPUs without it: attention as in 16 bit, by their models.
"$habitat" op attention --batch 8 --heads 16 --length 2048 --head-dim 64 --dtype fp8 --to A100-SXM4-80GB,T4
