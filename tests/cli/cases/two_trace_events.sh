# a file that holds two traces says so, with the place
event='{"ph":"X","cat":"kernel","name":"k","ts":5,"dur":1,"args":{"device":0,"stream":7}}'
printf '{"traceEvents":[%s],\n"traceEvents":[%s]}' "$event" "$event" >two.json
"$habitat" info two.json
