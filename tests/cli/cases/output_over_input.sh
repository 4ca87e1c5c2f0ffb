# A file that a command reads is not written over, by whatever name: it may be the only recording.
cp "$fixtures/step.json" a.json; cp "$fixtures/rank0.json" "$fixtures/rank1.json" .; ln -s a.json link; ln a.json hard
"$habitat" predict a.json --html a.json; echo "$?"
"$habitat" predict a.json --html ./link; echo "$?"
"$habitat" predict a.json --to T4 --timeline hard; echo "$?"
"$habitat" predict --ranks rank0.json rank1.json --html rank1.json; echo "$?"
"$habitat" explain a.json --to T4 --html link; echo "$?"
"$habitat" choose rank0.json a.json:2 --html a.json; echo "$?"
"$habitat" export --chakra a.json --to T4 -o a.json; echo "$?"
"$habitat" export --timeline a.json --to T4 -o link; echo "$?"
"$habitat" predict a.json --batch 8 --batch-from rank0.json --html rank0.json; echo "$?"
"$habitat" predict a.json --to T4 --timeline new --html new; echo "$?"
cmp a.json "$fixtures/step.json" && cmp rank1.json "$fixtures/rank1.json" && ls
