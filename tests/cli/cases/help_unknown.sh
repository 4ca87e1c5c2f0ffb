"$habitat" help nothing
