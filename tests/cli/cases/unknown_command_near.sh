"$habitat" predcit trace.json
