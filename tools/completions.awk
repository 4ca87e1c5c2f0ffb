# Makes a shell's completions from docs/man/*.1.md, the one source of options:
#   awk -v shell=bash -f tools/completions.awk docs/man/habitat.1.md docs/man/habitat-*.1.md
# shell: bash, zsh or fish. An option is a line that begins with "`-" and has its description, ":   ..", below. What follows
# an option says what it takes: *GPU* a GPU's name, *FILE* and *DIR* a file; of *WHAT*, *WAY*, *ORDER*, *METHOD*, *KEY*,
# *WORD*, *KIND*, *PASS* and *FORMAT* the words in the description, in backticks, are the choices; anything else is free.
function verb_of(path) {
    sub(/.*\//, "", path); sub(/\.1\.md$/, "", path); sub(/^habitat-?/, "", path)
    return path
}
function plain(text) {
    gsub(/:/, ",", text); gsub(/[`*'"\\\[\]$]/, "", text)
    return text
}
# "`--steps` *N*, `--samples` *N*" one by one
function take_options(line, text,    name, rest, next_at) {
    while (match(line, /`-[a-zA-Z-]+`/)) {
        name = substr(line, RSTART + 1, RLENGTH - 2)
        rest = substr(line, RSTART + RLENGTH)
        next_at = match(rest, /`-[a-zA-Z-]+`/)
        # "`-o`, `--output` *FILE*": both take it
        add_option(name, next_at && !(name !~ /^--/ && RSTART < 4) ? substr(rest, 1, next_at - 1) : rest, text)
        line = rest
    }
}
function kind_of(takes) {
    if (takes ~ /\*GPU\*=/) return "free"
    if (takes ~ /\*GPU\*/) return "gpu"
    if (takes ~ /\*(FILE|DIR|FOLDER|TRACE2)\*/) return "file"
    if (takes ~ /`[a-z]/ || takes ~ /\*(WHAT|WAY|ORDER|METHOD|KEY|WORD|KIND|PASS|FORMAT)\*/) return "words"
    return takes ~ /\*/ ? "free" : "none"
}
function add_option(name, takes, text,    kind) {
    kind = kind_of(takes)
    count++
    of[count] = verb; option[count] = name; takes_kind[count] = kind; about[count] = plain(text)
    words_of[count] = kind == "words" ? choices(takes ~ /`[a-z]/ ? takes : text) : ""
    if (kind == "words" && words_of[count] == "") takes_kind[count] = "free"
}
# words in backticks, each once
function choices(text,    found, seen, word) {
    while (match(text, /`[a-z][a-z0-9_-]*`/)) {
        word = substr(text, RSTART + 1, RLENGTH - 2)
        if (!(word in seen)) found = found (found == "" ? "" : " ") word
        seen[word] = 1
        text = substr(text, RSTART + RLENGTH)
    }
    return found
}
function finish() { if (term != "" && definition != "") take_options(term, definition); term = definition = "" }
FNR == 1 { finish(); verb = verb_of(FILENAME); in_name = 0; if (verb != "") verbs[++verb_count] = verb }
/^# / { finish(); in_name = $0 == "# NAME"; next }
in_name && / - / { summary[verb] = $0; sub(/^[^ ]* - /, "", summary[verb]); summary[verb] = plain(summary[verb]); next }
/^`-/ { finish(); term = $0; next }
/^:   / && term != "" { definition = substr($0, 5); next }
/^    / && definition != "" { definition = definition " " substr($0, 5); next }
/^ *$/ { finish() }
END {
    finish()
    for (i = 1; i <= count; i++) if (of[i] == "predict" && option[i] == "--method") methods = words_of[i]
    for (i = 1; i <= count; i++) if (option[i] == "--method") { takes_kind[i] = "words"; words_of[i] = methods }
    if (shell == "bash") bash(); else if (shell == "zsh") zsh(); else if (shell == "fish") fish()
    else { print "completions.awk: shell is bash, zsh or fish" > "/dev/stderr"; exit 2 }
}
function first_words(text) { # the first sentence, cut to fit a line
    sub(/[.;(].*/, "", text); sub(/ +$/, "", text)
    return length(text) > 60 ? substr(text, 1, 58) ".." : text
}
function bash(    i, v) {
    print "# bash completion for habitat; generated from docs/man by tools/completions.awk\n"
    print "_habitat_gpus() { habitat gpus --csv 2>/dev/null | sed 1d | cut -d, -f1; }\n"
    print "# words of a list that commas separate: what stands before the last comma stays\n_habitat_words() { # WORDS CURRENT"
    print "    local before=${2%\"${2##*,}\"}\n    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${2##*,}\")\n}\n"
    print "_habitat() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n    COMPREPLY=()"
    print "    if [ \"$COMP_CWORD\" = 1 ]; then"
    printf "        mapfile -t COMPREPLY < <(compgen -W \"--help --version"
    for (v = 1; v <= verb_count; v++) printf " %s", verbs[v]
    print "\" -- \"$word\")\n        return\n    fi\n    case $command:$before in"
    for (i = 1; i <= count; i++) {
        if (of[i] == "" || takes_kind[i] == "none") continue
        printf "    %s:%s) ", of[i], option[i]
        if (takes_kind[i] == "gpu") printf "_habitat_words \"$(_habitat_gpus)\" \"$word\"; "
        else if (takes_kind[i] == "words") printf "_habitat_words \"%s\" \"$word\"; ", words_of[i]
        else if (takes_kind[i] == "file") printf "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); "
        print "return ;;"
    }
    print "    gpus:gpus) [[ $word == -* ]] || { _habitat_words \"$(_habitat_gpus)\" \"$word\"; return; } ;;\n    esac"
    print "    if [[ $word == -* ]]; then\n        case $command in"
    for (v = 1; v <= verb_count; v++) {
        printf "        %s) mapfile -t COMPREPLY < <(compgen -W \"--help", verbs[v]
        for (i = 1; i <= count; i++) if (of[i] == verbs[v]) printf " %s", option[i]
        print "\" -- \"$word\") ;;"
    }
    print "        esac\n    else\n        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n    fi\n}\ncomplete -o filenames -F _habitat habitat"
}
function zsh(    i, v) {
    print "#compdef habitat\n# zsh completion for habitat; generated from docs/man by tools/completions.awk\n"
    print "_habitat_gpus() { local -a names; names=(${(f)\"$(habitat gpus --csv 2>/dev/null | sed 1d | cut -d, -f1)\"}); _values -s , GPU $names }\n"
    print "_habitat() {\n    if (( CURRENT == 2 )); then\n        local -a commands\n        commands=("
    for (v = 1; v <= verb_count; v++) printf "            '%s:%s'\n", verbs[v], summary[verbs[v]]
    print "        )\n        _describe command commands\n        return\n    fi\n    case $words[2] in"
    for (v = 1; v <= verb_count; v++) {
        printf "    %s) shift words; (( CURRENT-- )); _arguments", verbs[v]
        for (i = 1; i <= count; i++) {
            if (of[i] != verbs[v]) continue
            printf " \\\n        '%s[%s]", option[i], first_words(about[i])
            if (takes_kind[i] == "gpu") printf ":GPU:_habitat_gpus"
            else if (takes_kind[i] == "words") printf ":word:(%s)", words_of[i]
            else if (takes_kind[i] == "file") printf ":file:_files"
            else if (takes_kind[i] == "free") printf ":value:"
            printf "'"
        }
        print " \\\n        '*:file:_files' ;;"
    }
    print "    esac\n}\n_habitat \"$@\""
}
function fish(    i, v, name) {
    print "# fish completion for habitat; generated from docs/man by tools/completions.awk"
    print "function __habitat_gpus\n    habitat gpus --csv 2>/dev/null | sed 1d | cut -d, -f1\nend"
    for (v = 1; v <= verb_count; v++)
        printf "complete -c habitat -f -n __fish_use_subcommand -a %s -d '%s'\n", verbs[v], summary[verbs[v]]
    for (i = 1; i <= count; i++) {
        if (of[i] == "") continue
        name = option[i]
        printf "complete -c habitat -n '__fish_seen_subcommand_from %s' ", of[i]
        if (name ~ /^--/) printf "-l %s", substr(name, 3); else printf "-s %s", substr(name, 2)
        if (takes_kind[i] == "gpu") printf " -x -a '(__habitat_gpus)'"
        else if (takes_kind[i] == "words") printf " -x -a '%s'", words_of[i]
        else if (takes_kind[i] == "file") printf " -r -F"
        else if (takes_kind[i] == "free") printf " -x"
        printf " -d '%s'\n", first_words(about[i])
    }
}
