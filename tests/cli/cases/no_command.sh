"$habitat"
