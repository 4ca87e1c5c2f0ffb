# A trace from standard input, plain or gzip, and from a named pipe: the digest is of what was stored.
sum() { grep -o "\"sha256\": \"[0-9a-f]*" | tr -d '"' ; }
gzip -nc "$fixtures/step.json" >step.json.gz
sha256sum <"$fixtures/step.json" | cut -c 1-64
"$habitat" predict - --to T4 --json <"$fixtures/step.json" | grep -e "\"file\"" -e sha256
cat "$fixtures/step.json" | "$habitat" info - --json | sum
"$habitat" explain - --to T4 <step.json.gz | sed -n 1p
[ "sha256: $(sha256sum <step.json.gz | cut -c 1-64)" = "$("$habitat" predict - --json <step.json.gz | sum)" ] && echo "gzip: same"
mkfifo pipe.json
cat step.json.gz >pipe.json &
timeout 60 "$habitat" info pipe.json --json | sum >got
[ "sha256: $(sha256sum <step.json.gz | cut -c 1-64)" = "$(cat got)" ] && echo "pipe: same"
# Nothing, rubbish, a folder and a database come with a name and a reason.
"$habitat" info - </dev/null
"$habitat" info - <"$0"
"$habitat" info - <.
printf "SQLite format 3\\000rest" | "$habitat" info -
"$habitat" info -- - <&-
