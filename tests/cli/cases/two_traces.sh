"$habitat" info a b
