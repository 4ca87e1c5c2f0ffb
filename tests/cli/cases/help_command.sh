"$habitat" help gpus | head -n 1; "$habitat" gpus --help | head -n 1; "$habitat" gpus -h | head -n 1
