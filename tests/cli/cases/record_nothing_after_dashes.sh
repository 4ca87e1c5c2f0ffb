"$habitat" record --
