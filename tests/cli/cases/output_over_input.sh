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
"$habitat" predict a.json --to T4 --timeline new --html ./new; echo "$?"
mkdir sub; ln -s . here; echo old >old; ln old twin; ln -s old sym
"$habitat" predict a.json --to T4 --timeline "$PWD/new" --html sub/../here/new; echo "$?"
"$habitat" predict a.json --to T4 --timeline old --html twin; echo "$?"
"$habitat" predict a.json --to T4 --timeline sym --html ./old; echo "$?"
ln -s nobody away; ln -s sub/away far; ln -s ../nobody sub/away; ln -s round2 round1; ln -s round1 round2
"$habitat" predict a.json --to T4 --timeline nobody --html away; echo "$?"
"$habitat" predict a.json --to T4 --timeline "$PWD/far" --html here/nobody; echo "$?"
"$habitat" predict a.json --to T4 --timeline round1 --html round2; echo "$?"
[ ! -e nobody ] || echo written
rm sub/away away far round1 round2
"$habitat" predict - --html a.json <a.json; echo "$?"
"$habitat" predict - --to T4 --timeline link <hard; echo "$?"
"$habitat" choose rank0.json - --html a.json <a.json; echo "$?"
"$habitat" export --chakra - --to T4 -o a.json <a.json; echo "$?"
"$habitat" predict - --to T4 --html a.html <a.json >said; echo "$?"; rm a.html said
mkdir ranks; cp a.json ranks/rank.1.et; ln -s ranks/rank.1.et input.json
"$habitat" export --chakra ranks/rank.1.et --to T4 --gpus 2 -o ranks; echo "$?"
"$habitat" export --chakra input.json --to T4 --gpus 2 -o ./ranks/; echo "$?"
cmp ranks/rank.1.et a.json; ls ranks; cat old
for option in --chakra --timeline; do "$habitat" export $option a.json --to T4 -o ""; echo "$?"; done
"$habitat" predict a.json --to T4 --timeline ""; echo "$?"
"$habitat" train "$source/data/measurements" -o ""; echo "$?"
cmp a.json "$fixtures/step.json" && cmp rank1.json "$fixtures/rank1.json" && ls
