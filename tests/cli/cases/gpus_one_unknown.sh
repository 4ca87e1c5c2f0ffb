"$habitat" gpus RTX9999
