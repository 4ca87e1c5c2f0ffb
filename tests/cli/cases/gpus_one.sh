"$habitat" gpus T4 | sed -n 1,12p
