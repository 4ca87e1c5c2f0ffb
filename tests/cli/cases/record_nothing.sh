"$habitat" record
