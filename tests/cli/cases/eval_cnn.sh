# Every recorded network and GPU is predicted; a machine that ran one iteration several times counts once.
cd "$source" || exit 1
"$habitat" eval cnn --csv >"$HOME/cases.csv" || exit 1
awk -F, '
    NR == 1 { next }
    $8 == "\"auto\"" { n++; form[$17]++; if ($17 == "tf32" && $3 != "fp32") wrong++; seen[$1 $2 $17 $7]++
                       e = $10 / $9 - 1; if (e < 0) e = -e
                       if ($17 != "fp16" && ($1 == "resnet50" || $1 == "vgg16")) { sum += e; large++ } }
    END { for (k in seen) if (seen[k] > 1) twice++
          print n " cases: fp32 " form["fp32"] ", tf32 " form["tf32"] ", fp16 " form["fp16"]
          print "wrong " wrong + 0 ", twice " twice + 0
          print "ResNet-50 and VGG-16 within 20 % in the mean: " (sum / large <= 0.20) }' "$HOME/cases.csv"
"$habitat" eval cnn | grep -c '^| auto |'
