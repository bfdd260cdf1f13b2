#!/usr/bin/env bash
# Checks the sample projects against manifest.toml: of each project, in a copy, exactly the listed tests fail, the golden
# patch changes production code alone, and all tests pass with it. Works in a temporary folder and leaves nothing behind.
#
# A project whose tool chain is not installed is skipped; with CI=true that is a failure.
# Usage: samples/check.sh [ID...]

set -euo pipefail

samples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
manifest=$samples/manifest.toml
junit_jars=/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C GIT_CEILING_DIRECTORIES=$work

complaints=0
complain() {
    echo "  WRONG: $*"
    complaints=$((complaints + 1))
}

# field ID NAME: the strings of a field, one a line. Reads the TOML that the manifest uses: basic strings without
# escapes, and arrays of them with one or more to the line.
field() {
    awk -v id="$1" -v name="$2" '
        function print_strings(text) {
            while (match(text, /"[^"]*"/)) {
                print substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
            }
        }
        /^id = / { here = ($0 == "id = \"" id "\"") }
        /^[a-z_]+ = / { wanted = here && $1 == name }
        /^\[\[/ { wanted = 0 }
        wanted { print_strings($0) }
    ' "$manifest"
}

# has_tools RESULTS: whether what the project needs is installed; otherwise says what is missing.
has_tools() {
    case $1 in
        unittest) command -v python3 >/dev/null || { echo "python3"; return 1; } ;;
        pytest) python3 -c 'import pytest' 2>/dev/null || { echo "pytest"; return 1; } ;;
        junit-text)
            command -v javac >/dev/null || { echo "javac"; return 1; }
            [ -e /usr/share/java/junit4.jar ] || { echo "/usr/share/java/junit4.jar (package junit4)"; return 1; }
            ;;
        *) echo "a way to read '$1'"; return 1 ;;
    esac
}

# failing_in RESULTS LOG: the names of the tests that failed, sorted.
failing_in() {
    case $1 in
        unittest)
            # Python 3.11 and later: "test (module.Class.test)"; before: "test (module.Class)".
            sed -nE 's/^(FAIL|ERROR): ([^ ]+) \(([^)]+)\).*/\3 \2/p' "$2" |
                awk '{ end = "." $2; print (substr($1, length($1) - length(end) + 1) == end) ? $1 : $1 end }'
            ;;
        pytest) sed -nE 's/^(FAILED|ERROR) ([^ ]+).*/\2/p' "$2" ;;
        junit-text) sed -nE 's/^[0-9]+\) ([^(]+)\(([^)]+)\)$/\2::\1/p' "$2" ;;
    esac | sort -u
}

# count_in RESULTS LOG: how many tests ran.
count_in() {
    case $1 in
        unittest) sed -nE 's/^Ran ([0-9]+) tests? .*/\1/p' "$2" ;;
        pytest) tail -n 1 "$2" | grep -oE '[0-9]+ (passed|failed|error)' | awk '{ sum += $1 } END { print sum + 0 }' ;;
        junit-text) sed -nE 's/^OK \(([0-9]+) tests?\)$/\1/p; s/^Tests run: ([0-9]+),.*/\1/p' "$2" ;;
    esac
}

# compiles LANGUAGE: whether the copy in the current folder compiles without a warning.
compiles() {
    case $1 in
        python) PYTHONDONTWRITEBYTECODE='' PYTHONPYCACHEPREFIX=$work/pyc python3 -W error -m compileall -q -f . ;;
        java)
            find src -name '*.java' >"$work/sources"
            javac -Xlint:all -Xlint:-path -Werror -d "$work/classes" -cp "$junit_jars" "@$work/sources"
            ;;
    esac
}

# build ID LOG: runs the build command, if there is one.
build() {
    local command
    command=$(field "$1" build)
    if [ -n "$command" ] && ! sh -c "$command" >"$2" 2>&1; then
        complain "does not build"
        cat "$2"
    fi
}

# run ID WHAT LOG: runs the command of that field on the listed tests; the status is that of the tests.
run() {
    local command tests placeholder='{tests}'
    command=$(field "$1" "$2")
    tests=$(field "$1" failing | tr '\n' ' ')
    sh -c "${command//"$placeholder"/$tests}" >"$3" 2>&1
}

check_size() {
    local id=$1 extension lines folders=()
    case $(field "$id" language) in
        python) extension=py ;;
        *) extension=java ;;
    esac
    while read -r folder; do folders+=("$folder"); done < <(field "$id" source; field "$id" tests)
    lines=$(find "${folders[@]}" -name "*.$extension" -exec cat {} + | wc -l)
    if [ "$lines" -lt 400 ] || [ "$lines" -gt 1500 ]; then
        complain "$lines lines, expected 400 to 1500"
    fi
    echo "  $((lines)) lines"
}

check_buggy_lines() {
    local place path number
    while read -r place; do
        path=${place%#*} number=${place##*#}
        [ -n "$(sed -n "${number}p" "$path" 2>/dev/null)" ] || complain "no such line: $place"
    done < <(field "$1" buggy_lines)
}

check_golden() {
    local path folder inside
    while read -r _ _ path; do
        inside=no
        while read -r folder; do
            case $path in "$folder"/*) inside=yes ;; esac
        done < <(field "$1" source)
        [ $inside = yes ] || complain "the golden patch changes $path"
    done < <(git apply --numstat "$2")
    git apply "$2" || complain "the golden patch does not apply"
}

check() {
    local id=$1 results copy log count
    results=$(field "$id" results)
    copy=$work/$id log=$work/log
    cp -R "$samples/$(field "$id" dir)" "$copy"
    cd "$copy"
    [ -s "$samples/$(field "$id" issue)" ] || complain "no issue"
    check_size "$id"
    check_buggy_lines "$id"
    compiles "$(field "$id" language)" || complain "does not compile without warnings"

    build "$id" "$log"
    if run "$id" test "$log"; then complain "all tests pass before the golden patch"; fi
    failing_in "$results" "$log" >"$work/failing"
    if ! field "$id" failing | sort | diff - "$work/failing" >"$work/difference"; then
        complain "not the tests of the manifest fail (< manifest, > found):"
        cat "$work/difference"
    fi
    count=$(count_in "$results" "$log")
    [ "${count:-0}" -ge 30 ] || complain "${count:-0} tests, expected 30 or more"
    echo "  $count tests, $(wc -l <"$work/failing" | tr -d ' ') of them fail"
    if run "$id" test_one "$log"; then complain "the failing tests pass on their own"; fi

    check_golden "$id" "$samples/$(field "$id" golden)"
    build "$id" "$log"
    if ! run "$id" test_one "$log"; then
        complain "the failing tests still fail after the golden patch"
    fi
    if ! run "$id" test "$log"; then
        complain "tests fail after the golden patch:"
        failing_in "$results" "$log"
    fi
    [ "$(count_in "$results" "$log")" = "$count" ] || complain "the number of tests changes with the golden patch"
    cd "$samples"
}

if [ $# -eq 0 ]; then
    while read -r id; do set -- "$@" "$id"; done < <(sed -nE 's/^id = "(.*)"$/\1/p' "$manifest")
fi
for id in "$@"; do
    results=$(field "$id" results)
    if [ -z "$results" ]; then
        echo "$id"
        complain "not in $manifest"
    elif missing=$(has_tools "$results"); then
        echo "$id"
        check "$id"
    elif [ "${CI:-}" = true ]; then
        echo "$id"
        complain "cannot be checked without $missing"
    else
        echo "$id: skipped, there is no $missing"
    fi
done

if [ "$complaints" -gt 0 ]; then
    echo "samples: $complaints wrong"
    exit 1
fi
echo "samples: as the manifest says"
