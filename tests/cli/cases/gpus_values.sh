# Counts in full, rates with the digits a source gives.
"$habitat" gpus T4 | grep -E '^(SMs|registers|shared memory|peak, |TDP)'
