# As markets write it: how many is no part of a name. A number that is none of these changes nothing.
for name in 8xA100 "1x H100" "4 X RTX 4090" H100:8 2x4090 8xA1000 8xFoo A100:many x8 8x "A100:" 0xA100; do
    "$habitat" gpus "$name" 2>&1 >/dev/null
    echo $?
done
