# CSV holds no notes: they are on stderr.
"$habitat" predict "$fixtures/step.json" --to T4 --csv 2>&1 >/dev/null | grep -c "^habitat: warning: the GPU waited"
