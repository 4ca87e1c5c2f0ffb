"$habitat" --hlep
