"$habitat" gpus T4 L4
