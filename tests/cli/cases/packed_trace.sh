# A trace that is packed in another way than gzip is whole: the message says what unpacks it.
info() { "$habitat" info "$1" 2>&1; echo $?; }
printf '\050\265\057\375rest' >step.json.zst && info step.json.zst
printf '\3757zXZ\0rest' >step.json.xz && info step.json.xz
printf 'BZh91AY' >step.json.bz2 && info step.json.bz2
printf 'PK\003\004rest' >step.zip && info step.zip
printf '7z\274\257rest' >step.7z && info step.7z
printf '\004\042\115\030rest' | "$habitat" predict - 2>&1
# A name says nothing.
cp "$fixtures/step.json" step2.json.zst
"$habitat" info step2.json.zst | sed -n 1p
