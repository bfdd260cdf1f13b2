#!/usr/bin/env bash
# Checks the sample projects, the big ones and the small ones, against their manifests: of each project, in a copy, exactly
# the listed tests fail, the golden patch changes production code alone, and all tests pass with it. Works in a temporary
# folder and leaves nothing behind. Several projects are checked at a time; what is said about them keeps their order.
#
# A project whose tool chain is not installed is skipped; with CI=true that is a failure.
# Usage: samples/check.sh [ID...]

set -euo pipefail

samples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
manifests=("$samples/manifest.toml" "$samples/small/java.toml" "$samples/small/python.toml")
junit_jars=/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar
lanes=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The virtual machines of Java live for a second or less: a compiler and a collector that are ready at once suit them.
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C GIT_CEILING_DIRECTORIES=$work
export JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# What follows up to `check` is about one project, and runs in a folder ($lane) and a process of its own. $manifest is the
# manifest that lists it; $summary and $lane/complaints are what is said about it in the end.

complain() {
    echo "  WRONG: $*" >>"$lane/complaints"
}

# complain_of FILE WHAT: a complaint with the text of a file below.
complain_of() {
    complain "$2"
    sed 's/^/    /' "$1" >>"$lane/complaints"
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
        python) PYTHONDONTWRITEBYTECODE='' PYTHONPYCACHEPREFIX=$lane/pyc python3 -W error -m compileall -q -f . ;;
        java)
            find src -name '*.java' >"$lane/sources"
            javac -Xlint:all -Xlint:-path -Werror -d "$lane/classes" -cp "$junit_jars" "@$lane/sources"
            ;;
    esac
}

# build ID LOG: runs the build command, if there is one.
build() {
    local command
    command=$(field "$1" build)
    if [ -n "$command" ] && ! sh -c "$command" >"$2" 2>&1; then
        complain_of "$2" "does not build"
    fi
}

# run ID WHAT LOG: runs the command of that field on the listed tests; the status is that of the tests.
run() {
    local command tests placeholder='{tests}'
    command=$(field "$1" "$2")
    tests=$(field "$1" failing | tr '\n' ' ')
    sh -c "${command//"$placeholder"/$tests}" >"$3" 2>&1
}

# check_size ID LEAST MOST: the lines of production code and tests together.
check_size() {
    local id=$1 extension lines folder folders=()
    case $(field "$id" language) in
        python) extension=py ;;
        *) extension=java ;;
    esac
    while read -r folder; do folders+=("$folder"); done < <(field "$id" source; field "$id" tests)
    lines=$(find "${folders[@]}" -name "*.$extension" -exec cat {} + | wc -l)
    if [ "$lines" -lt "$2" ] || [ "$lines" -gt "$3" ]; then
        complain "$((lines)) lines, expected $2 to $3"
    fi
    summary=$((lines))" lines"
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
    done < <(git apply --numstat "$2" 2>/dev/null)
    git apply "$2" 2>"$lane/refusal" || complain_of "$lane/refusal" "the golden patch does not apply:"
}

check() {
    local id=$1 home results copy=$lane/copy log=$lane/log count least_tests=30
    results=$(field "$id" results)
    home=$(dirname "$manifest")
    cp -R "$home/$(field "$id" dir)" "$copy"
    cd "$copy"
    [ -s "$home/$(field "$id" issue)" ] || complain "no issue"
    if [ "$home" = "$samples" ]; then
        check_size "$id" 400 1500
    else
        check_size "$id" 60 600
        least_tests=10
    fi
    check_buggy_lines "$id"
    compiles "$(field "$id" language)" >"$log" 2>&1 || complain_of "$log" "does not compile without warnings:"

    build "$id" "$log"
    if run "$id" test "$log"; then complain "all tests pass before the golden patch"; fi
    failing_in "$results" "$log" >"$lane/failing"
    if ! field "$id" failing | sort | diff - "$lane/failing" >"$lane/difference"; then
        complain_of "$lane/difference" "not the tests of the manifest fail (< manifest, > found):"
    fi
    count=$(count_in "$results" "$log")
    [ "${count:-0}" -ge "$least_tests" ] || complain "${count:-0} tests, expected $least_tests or more"
    summary="$summary, $count tests, $(wc -l <"$lane/failing" | tr -d ' ') of them fail"
    if run "$id" test_one "$log"; then complain "the failing tests pass on their own"; fi

    check_golden "$id" "$home/$(field "$id" golden)"
    build "$id" "$log"
    if ! run "$id" test_one "$log"; then
        complain "the failing tests still fail after the golden patch"
    fi
    if ! run "$id" test "$log"; then
        failing_in "$results" "$log" >"$lane/failing"
        complain_of "$lane/failing" "tests fail after the golden patch:"
    fi
    [ "$(count_in "$results" "$log")" = "$count" ] || complain "the number of tests changes with the golden patch"
}

# check_or_skip ID: one line about the project, and its complaints below.
check_or_skip() {
    local missing summary=""
    if missing=$(has_tools "$(field "$1" results)"); then
        check "$1"
    elif [ "${CI:-}" = true ]; then
        complain "cannot be checked without $missing"
    else
        summary="skipped, there is no $missing"
    fi
    echo "$1: ${summary:-not checked}"
    cat "$lane/complaints"
}

# in_lane NUMBER MANIFEST ID: checks one project, and says so in the end, come what may.
in_lane() {
    lane=$work/$1 manifest=$2
    trap 'echo "$1" >&3' EXIT
    mkdir "$lane"
    : >"$lane/complaints"
    set +e
    (set -e; check_or_skip "$3") >"$lane/report" 2>"$lane/trouble"
    if [ $? -ne 0 ]; then
        complain_of "$lane/trouble" "the check itself failed:"
        { echo "$3:"; cat "$lane/complaints"; } >"$lane/report"
    fi
}

ids=() listed_in=()
for manifest in "${manifests[@]}"; do
    [ -e "$manifest" ] || continue
    while read -r id; do
        case " ${*:-$id} " in *" $id "*) ids+=("$id") listed_in+=("$manifest") ;; esac
    done < <(sed -nE 's/^id = "(.*)"$/\1/p' "$manifest")
done
wrong=0
for id in "$@"; do
    case " ${ids[*]:-} " in
        *" $id "*) ;;
        *) echo "$id: in no manifest" && wrong=$((wrong + 1)) ;;
    esac
done

# As many projects as there are processors at a time. Each that is over writes its number into the pipe; all that are
# over and whose turn it is are shown.
mkfifo "$work/over"
exec 3<>"$work/over"
started=0 shown=0 running=0
while [ "$shown" -lt "${#ids[@]}" ]; do
    while [ "$running" -lt "$lanes" ] && [ "$started" -lt "${#ids[@]}" ]; do
        in_lane "$started" "${listed_in[$started]}" "${ids[$started]}" &
        started=$((started + 1)) running=$((running + 1))
    done
    read -r number <&3
    running=$((running - 1))
    : >"$work/$number.over"
    while [ -e "$work/$shown.over" ]; do
        cat "$work/$shown/report"
        wrong=$((wrong + $(grep -c '^  WRONG: ' "$work/$shown/report" || true)))
        rm -rf "${work:?}/$shown"
        shown=$((shown + 1))
    done
done

if [ "$wrong" -gt 0 ]; then
    echo "samples: $wrong wrong"
    exit 1
fi
echo "samples: ${#ids[@]} as their manifests say"
