# A name that no list of names can hold is refused with the file, not found out at --to.
for name in "My,GPU" all ALL "a l l" MyGPU; do
    sed -e "s/\"name\": \"RTX3060\"/\"name\": \"$name\"/" -e '/^  "[a-z_]*aliases"/d' -e 's/"aliases", //' "$source/data/gpus/RTX3060.json" >mine.json
    "$habitat" op gemm --m 64 --n 64 --k 64 --to "$name" --gpu-file mine.json --csv 2>&1 | cut -d, -f1-3 | tail -1
done
