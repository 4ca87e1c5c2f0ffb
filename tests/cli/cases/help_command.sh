"$habitat" help gpus | head -n 1; "$habitat" gpus --help | head -n 1; "$habitat" gpus -h | head -n 1
# Stars between backquotes are no markup; pairs of backquotes do not go over lines, where they would be read so.
"$habitat" record --help | grep -o 'with \*\*\* for'
awk -F '`' 'NF && NF % 2 == 0 { print FILENAME ":" FNR ": a backquote without its other" }' "$source"/docs/man/*.1.md
