# Every measured iteration is predicted by every method; the targets of docs/accuracy.md hold.
cd "$source" || exit 1
"$habitat" eval e2e --csv >"$HOME/cases.csv" || exit 1
awk -F, '
    NR == 1 { next }
    { methods[$8]++; if ($7 == "P4") next }
    $8 == "\"auto\"" { e = $10 / $9 - 1; if (e < 0) e = -e; sum += e; n++; if (e > worst) worst = e
                       inside += $11 <= $9 && $9 <= $12 }
    END { print n " cases, " methods["\"auto\""] " with the P4, as many by roofline: " (methods["\"roofline\""] == methods["\"auto\""])
          print "mean at most 7 %: " (sum / n <= 0.07) ", worst at most 20 %: " (worst <= 0.20) }' "$HOME/cases.csv"
"$habitat" eval e2e | grep -c '^| auto'
