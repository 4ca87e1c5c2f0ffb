"$habitat" info "$fixtures/step.json" --json | python3 "$source/tests/cli/predicted.py" info
