# What is scaled from a recording whose iterations lay far apart is known no better than it, by whatever method, and a note says how far.
data=$source/data/recordings
rows() { "$habitat" predict "$@" --csv 2>err | sed 1d | cut -d, -f1-5 | sed -E 's/([0-9]+\.[0-9])[0-9]*/\1/g'; grep -o 'moved while it was recorded, from .* of them' err || echo "no note"; }
loader=$data/training_ways/loader_b128_h200.json.gz
rows "$loader" --to H200-SXM5-141GB,H100-SXM5-80GB,A100-SXM4-80GB
rows "$loader" --to H100-SXM5-80GB --assemble sum
rows "$loader" --to H100-SXM5-80GB --method bandwidth
"$habitat" predict "$loader" --to H100-SXM5-80GB --json | grep interval_basis
rows "$data/resnet50_b16_fp32_h200.json.gz" --to H200-SXM5-141GB,H100-SXM5-80GB
