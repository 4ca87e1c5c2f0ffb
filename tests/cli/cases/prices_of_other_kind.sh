# A file of prices that are all of the kind that is not asked for counts for nothing: a note says so.
step=$fixtures/step.json
printf 'gpu,usd_per_gpu_hour\nT4,1\n' >demand.csv
printf 'gpu,usd_per_gpu_hour,provisioning\nT4,1,spot\nL4,2,spot\n' >spot.csv
printf 'gpu,usd_per_gpu_hour,provisioning\nT4,1,spot\nL4,2,on-demand\n' >both.csv
said() { echo "$*"; "$habitat" "$@" --csv 2>&1 >/dev/null | grep 'none of the prices'; }
said predict "$step" --to T4,L4 --prices demand.csv --spot
said predict "$step" --to T4,L4 --prices spot.csv
said choose "$step" --to T4,L4 --prices demand.csv --prices spot.csv
said choose "$step" --to T4,L4 --prices demand.csv --prices spot.csv --spot
said predict "$step" --to T4,L4 --prices demand.csv --prices both.csv
said predict "$step" --to T4,L4 --prices both.csv --prices spot.csv --spot
said predict "$step" --to T4,L4 --price T4=1 --spot
exit 0
