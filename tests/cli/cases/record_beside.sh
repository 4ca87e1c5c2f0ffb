# A habitat that was moved with its share folder finds the Python package beside it.
mkdir -p moved/bin moved/share/habitat/python/habitat/recording
cp "$habitat" moved/bin/habitat
touch moved/share/habitat/python/habitat/recording/__main__.py
cat >python <<"PY"
#!/bin/sh
cd "$PYTHONPATH" && pwd | sed 's/.*\(moved.*\)/\1/'
PY
chmod +x python
HABITAT_PYTHON=$PWD/python moved/bin/habitat record train.py
