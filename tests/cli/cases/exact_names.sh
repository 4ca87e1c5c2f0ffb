# A name of exactly one part, as nvidia-smi prints it, is no ambiguity: no note.
"$habitat" predict "$fixtures/step.json" --to "NVIDIA H100 80GB HBM3,Tesla T4" --json | grep -c "taken as"
"$habitat" gpus "NVIDIA GeForce RTX 4090" | sed -n 1p
"$habitat" gpus V100 --csv | sed -n 2p
