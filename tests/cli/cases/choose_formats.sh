# A GPU that lacks the recorded number format is not recommended without a word: of the best and of the front the text says so, of others it does not.
data=$source/data/recordings
echo "-- the best"
"$habitat" choose "$data/gpt2_b8_bf16_h200.json.gz" --to T4,A10 | grep '^Take\|^Note: no'
"$habitat" choose "$data/llama_b4_bf16_h200.json.gz" --to V100-SXM2-32GB,A40 --price V100-SXM2-32GB=0.3 --price A40=0.5 | sed -n '/^Note: no/,/refuse/p'
echo "-- two of the front, and one that is not"
"$habitat" choose "$data/gpt2_b8_bf16_h200.json.gz" --to T4,V100-SXM2-16GB,A10 --price T4=0.1 --price V100-SXM2-16GB=0.5 | sed -n '/^Front/,$p' | grep '^Front\|^Note: no'
"$habitat" choose "$data/gpt2_b8_bf16_h200.json.gz" --to T4,A10 --price T4=4 | grep -c '^Note: no'
echo "-- all notes in full"
"$habitat" choose "$data/gpt2_b8_bf16_h200.json.gz" --all | sed -n '/^Note: no/,$p' | grep -o '^Note: .......' | sort | uniq -c
