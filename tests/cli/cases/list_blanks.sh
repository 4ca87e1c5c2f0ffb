# Blanks around the parts of a list are not part of them.
step=$fixtures/step.json
"$habitat" predict "$step" --to "T4, A100 ,L40S" --csv >out 2>err; cut -d, -f1 out; grep A100 err
"$habitat" predict "$step" --to " T4 " --columns "gpu, iteration_ms" | sed -n '/^GPU/,/^$/p'
"$habitat" predict "$source/data/recordings/dcgan_b16_fp32_h200.json.gz" --to T4 --batch "8, 16" --gpus " 1,2 " --csv 2>/dev/null | wc -l | tr -d " "
"$habitat" predict "$step" --to "RTX 4090, T4" --csv 2>/dev/null | cut -d, -f1
for wrong in "T4, " "T4, ,L40S" " " " , " ""; do
    "$habitat" predict "$step" --to "$wrong"; echo "exit $?"
done
