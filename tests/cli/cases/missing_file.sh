"$habitat" info no-such-file.json
