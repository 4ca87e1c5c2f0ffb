sed "s/NVIDIA H200/NVIDIA Q9000/" "$fixtures/step.json" >q.json
"$habitat" predict q.json
