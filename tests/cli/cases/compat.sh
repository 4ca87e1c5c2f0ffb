# Files as released versions wrote them are read, and give the numbers written beside them (compat/README.md).
for folder in "$source"/compat/*/; do
    sh "$folder/check.sh" "$folder" >today || echo "$(basename "$folder"): check.sh failed"
    sed 1d "$folder/numbers.csv" | sed 's/,[^,]*,/,/' | diff - today && echo "$(basename "$folder"): $(wc -l <today) numbers as written"
done
