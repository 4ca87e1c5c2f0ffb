"$habitat" predict
