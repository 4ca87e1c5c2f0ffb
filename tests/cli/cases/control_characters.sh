# A name with a line break and an escape code cannot forge a second line.
"$habitat" info "$(printf "a\nb\033[31mc")"
