# One bad file, a pipe or a device in the user's folder does not stand in the way of other GPUs.
folder=$XDG_CONFIG_HOME/habitat/gpus
mkdir -p "$folder"
echo "{\"name\": \"My-1\"," >"$folder/a.json"
mkfifo "$folder/pipe.json"
ln -s /dev/zero "$folder/zero.json"
say() { timeout 60 "$@" 2>&1 | sed "s|$XDG_CONFIG_HOME|CONFIG|g"; }
say "$habitat" op linear --m 512 --n 512 --k 512 --to T4 --csv | cut -d , -f 1-3
say "$habitat" predict "$fixtures/step.json" --to My-1
"$habitat" predict "$fixtures/step.json" --to T4 --json 2>/dev/null | grep -c skipped
"$habitat" gpus --check >out 2>/dev/null
echo $?
