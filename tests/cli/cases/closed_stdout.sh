"$habitat" --help >&-
