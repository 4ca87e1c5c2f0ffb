# A calibration of a known GPU replaces its sustained rates; the user folder is read always.
sed "s/\"T4\"/\"T4-copy\"/; s/\"aliases\": \[[^]]*\]/\"aliases\": []/; s/\"family_aliases\": \[[^]]*\]/\"family_aliases\": []/" "$source/data/gpus/T4.json" >mine.json
"$habitat" gpus --gpu-file mine.json T4-copy --csv | grep sm_count
mkdir -p "$XDG_CONFIG_HOME/habitat/gpus" && cp mine.json "$XDG_CONFIG_HOME/habitat/gpus"
"$habitat" predict "$fixtures/step.json" --to T4-copy --json | grep "\"T4-copy\"" | sed -n 1p
