"$habitat" gpus --check | sed "s/^[0-9]* GPUs/N GPUs/"
