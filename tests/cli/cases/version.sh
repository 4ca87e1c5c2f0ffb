"$habitat" --version
