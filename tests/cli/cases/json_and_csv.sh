"$habitat" gpus --json --csv
