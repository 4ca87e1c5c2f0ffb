# A file whose own name ends in ":NUMBER" is read, and not taken for a weight; where both are there,
# nobody can tell which one is meant.
data=$source/data/recordings
read_as() { "$habitat" choose "$@" --to T4 --json | grep '"file"' | sed -E 's/"gpu"/\n&/' | grep file; }
cp "$data/resnet50_b4_fp32_h200.json.gz" resnet:2
cp "$data/bert_b2_fp32_h100.json.gz" bert
echo "-- of that name alone"
read_as resnet:2
"$habitat" choose resnet:2 bert --to T4 --json | grep '"weight"'
echo "-- a weight behind it"
"$habitat" choose resnet:2:3 bert:1 --to T4 --json | grep '"weight"'
echo "-- a weight alone"
"$habitat" choose resnet:2 bert:3 --to T4 --json | grep '"weight"'
echo "-- both are there"
cp bert resnet
"$habitat" choose resnet:2 --to T4
echo "exit $?"
read_as resnet:2:1
echo "-- neither"
"$habitat" choose nowhere:2 --to T4
echo "exit $?"
echo "-- standard input has weights"
"$habitat" choose --to T4 --json -- -:3 bert <resnet | grep '"weight"'
