# What Nsight Systems itself writes is not read: the message says how to export it.
printf "\\001\\002report" >run.nsys-rep
"$habitat" predict run.nsys-rep
echo $?
# A trace that only has such a name is a trace.
cp "$fixtures/step.json" step.nsys-rep
"$habitat" info step.nsys-rep | sed -n 1p
# A packed export is named as what it is.
printf "SQLite format 3" | gzip >run.sqlite.gz
"$habitat" info run.sqlite.gz
echo $?
