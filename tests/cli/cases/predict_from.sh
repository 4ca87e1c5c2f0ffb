# A GPU named by the user stands in for what the trace says, with a warning that holds both names.
"$habitat" predict "$fixtures/step.json" --from H200-NVL-141GB --to T4 --json >out
grep -e "\"gpu\"" -e "the recording names" out
# Where the recorded properties contradict it, it cannot be.
"$habitat" predict "$fixtures/step.json" --from T4 --to T4
echo $?
# A name that nobody knows is overruled without a word.
sed "s/NVIDIA H200/Unheard-of 9/" "$fixtures/step.json" >other.json
"$habitat" info other.json --from H200 --json | grep -e "\"gpu\"" -e recording
