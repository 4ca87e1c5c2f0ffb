"$habitat" gpus >out
head -n 2 out; awk "length(\$0) > 80 { print \"wide: \" \$0 }" out; [ "$(wc -l <out)" -gt 70 ] && echo "more than 70 lines"
