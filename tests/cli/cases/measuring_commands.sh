# collect and calibrate: wrong command lines are told here, right ones handed to Python.
"$habitat" collect; echo "$?"
"$habitat" calibrate; echo "$?"
"$habitat" calibrate -o x.json more; echo "$?"
"$habitat" collect -o x.csv --budget soon; echo "$?"
printf '#!/bin/sh\necho "$@"\n' >python; chmod +x python
export HABITAT_PYTHON=./python
"$habitat" collect -o x.csv --count 5 --seed 2; echo "$?"
"$habitat" calibrate --output=x.json --gpu T4; echo "$?"
HABITAT_PYTHON=./missing "$habitat" calibrate -o x.json; echo "$?"
