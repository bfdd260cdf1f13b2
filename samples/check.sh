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
lanes=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The virtual machines of Java live for a second or less: a compiler and a collector that are ready at once suit them.
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C GIT_CEILING_DIRECTORIES=$work
export JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
export JDK_JAVAC_OPTIONS="-Xlint:all -Xlint:-path -Werror"

# What follows up to `check_or_skip` is about one project, and runs in a process and a folder ($lane) of its own. $manifest
# is the manifest that lists it, $fields what stands there; $summary and $lane/complaints are what is said in the end.

complain() {
    echo "  WRONG: $*" >>"$lane/complaints"
}

# complain_of FILE WHAT: a complaint with the text of a file below.
complain_of() {
    complain "$2"
    sed 's/^/    /' "$1" >>"$lane/complaints"
}

# fields_of ID: the fields of a bug, one string a line, each after the name of its field. Reads the TOML that the manifests
# use: basic strings without escapes, and arrays of them with one or more to the line.
fields_of() {
    awk -v id="$1" '
        /^id = / { here = ($0 == "id = \"" id "\"") }
        /^[a-z_]+ = / { name = $1 }
        /^\[\[/ { here = 0 }
        here {
            while (match($0, /"[^"]*"/)) {
                print name, substr($0, RSTART + 1, RLENGTH - 2)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }
    ' "$manifest"
}

# field NAME: the strings of a field, one a line.
field() {
    local name value
    while read -r name value; do
        if [ "$name" = "$1" ]; then printf '%s\n' "$value"; fi
    done <<<"$fields"
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

# build LOG: runs the build command, if there is one; of Python, whether it compiles. Warnings are errors.
build() {
    local command
    command=$(field build)
    if [ "$(field language)" = python ]; then
        command="PYTHONDONTWRITEBYTECODE='' PYTHONPYCACHEPREFIX='$lane/pyc' python3 -W error -m compileall -q -f ."
    fi
    if [ -n "$command" ] && ! sh -c "$command" >"$1" 2>&1; then
        complain_of "$1" "does not build without warnings:"
    fi
}

# run WHAT LOG: runs the command of that field on the listed tests; the status is that of the tests.
run() {
    local command tests placeholder='{tests}'
    command=$(field "$1")
    tests=$(field failing | tr '\n' ' ')
    sh -c "${command//"$placeholder"/$tests}" >"$2" 2>&1
}

# check_failing RESULTS LOG WHAT: whether exactly the listed tests have failed in what was run.
check_failing() {
    failing_in "$1" "$2" >"$lane/failing"
    if ! field failing | sort | diff - "$lane/failing" >"$lane/difference"; then
        complain_of "$lane/difference" "$3: not the tests of the manifest fail (< manifest, > found):"
    fi
}

# check_size LEAST MOST: the lines of production code and tests together.
check_size() {
    local extension lines folder folders=()
    case $(field language) in
        python) extension=py ;;
        *) extension=java ;;
    esac
    while read -r folder; do folders+=("$folder"); done < <(field source; field tests)
    lines=$(find "${folders[@]}" -name "*.$extension" -exec cat {} + | wc -l)
    if [ "$lines" -lt "$1" ] || [ "$lines" -gt "$2" ]; then
        complain "$((lines)) lines, expected $1 to $2"
    fi
    summary=$((lines))" lines"
}

check_buggy_lines() {
    local place path number
    while read -r place; do
        path=${place%#*} number=${place##*#}
        [ -n "$(sed -n "${number}p" "$path" 2>/dev/null)" ] || complain "no such line: $place"
    done < <(field buggy_lines)
}

# check_golden PATCH: applies it, and it changes production code alone.
check_golden() {
    local path folder inside
    while read -r _ _ path; do
        inside=no
        while read -r folder; do
            case $path in "$folder"/*) inside=yes ;; esac
        done < <(field source)
        [ $inside = yes ] || complain "the golden patch changes $path"
    done < <(git apply --numstat "$1" 2>/dev/null)
    git apply "$1" 2>"$lane/refusal" || complain_of "$lane/refusal" "the golden patch does not apply:"
}

check() {
    local home results copy=$lane/copy log=$lane/log count least_tests=30
    home=$(dirname "$manifest")
    results=$(field results)
    cp -R "$home/$(field dir)" "$copy"
    cd "$copy"
    [ -s "$home/$(field issue)" ] || complain "no issue"
    if [ "$home" = "$samples" ]; then
        check_size 400 1500
    else
        check_size 60 600
        least_tests=10
    fi
    check_buggy_lines

    build "$log"
    if run test "$log"; then complain "all tests pass before the golden patch"; fi
    check_failing "$results" "$log" "test"
    count=$(count_in "$results" "$log")
    [ "${count:-0}" -ge "$least_tests" ] || complain "${count:-0} tests, expected $least_tests or more"
    summary="$summary, ${count:-0} tests, $(wc -l <"$lane/failing" | tr -d ' ') of them fail"
    if run test_one "$log"; then complain "the failing tests pass on their own"; fi
    check_failing "$results" "$log" "test_one"

    check_golden "$home/$(field golden)"
    build "$log"
    if ! run test "$log"; then
        failing_in "$results" "$log" >"$lane/failing"
        complain_of "$lane/failing" "tests fail after the golden patch:"
    fi
    [ "$(count_in "$results" "$log")" = "$count" ] || complain "the number of tests changes with the golden patch"
}

# check_or_skip ID: one line about the project, and its complaints below.
check_or_skip() {
    local missing summary="" fields
    fields=$(fields_of "$1")
    if missing=$(has_tools "$(field results)"); then
        check
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
