# What a calibration says of its host: shown with unit and source; a file of an older version has none.
printf '%s' '{"schema": 1, "calibration_of": "T4", "host": {"launch_ns": 4100.5, "launch_spread": 0.03, "forward_ns": 21000, "forward_spread": 0.1,
 "backward_ns": 30500, "backward_spread": 0.25}, "sources": {"calibration": {"covers": ["host"], "title": "x", "publisher": "me", "date": "2026"}}}' >new.json
"$habitat" gpus T4 --gpu-file new.json | grep host
"$habitat" gpus T4 --gpu-file new.json --json | sed -n '/"host": {/,/}/p'
"$habitat" gpus T4 --gpu-file new.json --csv | grep host
"$habitat" gpus H200 --gpu-file "$source/compat/0.2.0/calibration.json" --json | grep '"host"'
"$habitat" gpus H200 --gpu-file "$source/compat/0.2.0/calibration.json" | grep -c '^host,' || true
sed 's/"forward_ns": 21000,//' new.json >bad.json
"$habitat" gpus T4 --gpu-file bad.json; echo "$?"
