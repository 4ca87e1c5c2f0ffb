# The choice as text, in 80 columns: shape and words; the figures are other tests'.
trace="$source/data/recordings/resnet50_b64_fp32_h200.json.gz"
export SOURCE_DATE_EPOCH=1795305600 # 2026-11-22
"$habitat" choose "$trace" --price L40S=0.1 --price RTX4090=9 --steps 1000 >out || echo failed
sed -n '1p;3s/:.*//p' out
grep -oE '^(Front|Left out):' out
awk 'length > 81' out
[ "$(wc -l <out)" -le 23 ] && echo "fits a screen"
"$habitat" choose "$trace" --max-usd-hour 0.0001 | sed -n '3p'; echo "exit $?"
