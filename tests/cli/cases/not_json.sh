echo "this is no trace" >x.json; "$habitat" info x.json
