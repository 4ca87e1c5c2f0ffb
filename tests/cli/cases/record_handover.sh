# Options and arguments reach the recorder as they were given; the package is on its path.
cat >python <<"PY"
#!/bin/sh
echo "$@"
echo "${PYTHONPATH##*/}"
PY
chmod +x python
HABITAT_PYTHON=./python "$habitat" record -o x.json.gz --warmup 2 --pause 0.5 train.py --batch 4 --json
HABITAT_PYTHON=./python "$habitat" record --no-modules train.py
HABITAT_PYTHON=./python "$habitat" record -m package.train --lr 0.1 --help
