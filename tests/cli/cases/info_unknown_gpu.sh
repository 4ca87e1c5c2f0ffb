# A GPU nobody knows: the trace is shown, with what to do.
sed "s/NVIDIA H200/NVIDIA Q9000/" "$fixtures/step.json" >q.json
"$habitat" info q.json
