#!/bin/bash
# Checks that MAPPING.md ties each step of the models to a step of the code, and the other way round:
#  - a mark that MAPPING.md names in a code file is there: `// [w1]` at the start of a comment;
#  - a mark that it names in a model is there: [w1] in a comment;
#  - a mark placed in the code is named in MAPPING.md for that file.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
crates=$here/../../crates
mapping=$here/MAPPING.md
mark='\[[a-z][0-9f]\]'
wrong=0
complain() {
    echo "$1" >&2
    wrong=$((wrong + 1))
}

# placed FILE: the marks placed in a code file; one comment may begin with several
placed() { grep -oE "// ($mark ?)+" "$1" | grep -oE "$mark" | sort -u; }
# sources: crate and file name of all code, as MAPPING.md writes them
sources() { find "$crates/ring/src" "$crates/channel/src" -name '*.rs' | sort; }

named=$(grep -oE "\`[a-z/_]+\.(rs|pml) $mark\`" "$mapping" | tr -d '`' | sort -u)
[ -n "$named" ] || complain "MAPPING.md names no marks"

while read -r file step; do
    case $file in
    *.pml)
        grep -qF "$step" "$here/$file" || complain "MAPPING.md names $step in $file: it is not there"
        ;;
    *)
        path=$(sources | grep "/$file\$" || true)
        if [ -z "$path" ]; then
            complain "MAPPING.md names $file: there is no such file"
        elif ! placed "$path" | grep -qF "$step"; then
            complain "MAPPING.md names $step in $file: there is no comment \`// $step\`"
        fi
        ;;
    esac
done <<<"$named"

while read -r path; do
    for step in $(placed "$path" || true); do
        grep -qF "$(basename "$path") $step" <<<"$named" ||
            complain "$(basename "$path") has a comment \`// $step\` that MAPPING.md does not name"
    done
done < <(sources)

[ "$wrong" -eq 0 ] || exit 1
echo "mapping: $(wc -l <<<"$named") marks of models and code agree"
