"$habitat" frobnicate
