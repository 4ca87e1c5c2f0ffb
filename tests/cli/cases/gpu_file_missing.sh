"$habitat" gpus --gpu-file none.json
