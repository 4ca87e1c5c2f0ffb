"$habitat" gpus --check T4
