head -c 2000 "$fixtures/step.json" >x.json; "$habitat" predict x.json
