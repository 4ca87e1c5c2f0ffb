# Occupancy on which recording and calculator disagree: three of seven kernels.
trace=$source/tests/golden/traces/occupancy_of_kernels.json
"$habitat" info --json "$trace" | grep -o "[0-9]* of 7 kernels have.*for them"
grep -v '"other_' "$trace" >agree.json
"$habitat" info --json agree.json | grep -c occupancy
grep -v 'other_limit' "$trace" | grep -v other_blocks | "$habitat" info --json - | grep -o "first: other_share.*by rule [0-9]* blocks"
