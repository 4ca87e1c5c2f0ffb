# The operations that stand for calibrations are those the tool draws from the shipped measurements.
python3 "$source/tools/few_shot.py" draw -o drawn.csv && cmp drawn.csv "$source/data/measurements/e2e_calibration.csv" && echo the same
