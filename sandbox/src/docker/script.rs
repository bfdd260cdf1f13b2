//! The shell scripts that run inside containers, and what they report.
//!
//! They keep to what the shells of Debian, Alpine and busybox have in common, and start no program that a bare
//! image may lack.

/// The start of the line that a wrapped command's shell writes at the very end of its standard error.
const MARK: &[u8] = b"\x01patchwright ";
/// No report is longer than this, in bytes.
const REPORT_BYTES: usize = 96;

/// Counts how often the container's limits were hit: `hits FILE KEY` reads a control group's events, of either
/// version, in the variable `hits`.
const HITS: &str = r#"
hits() {
    hits=0
    for file in $1; do
        [ -r "$file" ] || continue
        while read -r key value; do [ "$key" = "$2" ] && hits=$value; done < "$file"
    done
}
memory_hits() { hits "/sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control" oom_kill; }
process_hits() { hits "/sys/fs/cgroup/pids.events /sys/fs/cgroup/pids/pids.events" max; }
"#;

/// Runs `$1` in a container of ours. When it has ended, everything else in the container is killed but its first
/// process, at one blow, and it is tidied up. `$2`, where given, is the owner to whom files of root's in the lane are
/// handed back.
const OURS: &str = r#"
exec 3>&2 2>/dev/null
memory_hits; memory=$hits
process_hits; processes=$hits
mkdir -p "$HOME"
/bin/sh -c "$1" </dev/null 2>&3 3>&-
status=$?
kill -9 -1
memory_hits; memory=$((hits - memory))
process_hits; processes=$((hits - processes))
tidy
[ -z "$2" ] || chown -R "$2" .
printf '\001patchwright %s %s %s\n' "$status" "$memory" "$processes" >&3
"#;

/// `living FOLDER` tells whether the process of a folder of `/proc` runs still; `rest` is then its line from its state on.
const LIVING: &str = r#"
living() {
    line=
    read -r line < "$1/stat" || return 1
    rest=${line##*) }
    case ${rest%% *} in [ZX]) return 1 ;; esac
}
"#;

/// Makes the temporary folders as new.
const TIDY: &str = "tidy() { rm -rf /tmp/* /tmp/.[!.]* /tmp/..?* /var/tmp/*; }\n";
/// Leaves the files that a command left, and waits until what was killed is gone: all but this shell, the container's first
/// process and its `sleep`.
const LEAVE: &str = r#"
tidy() {
    rounds=0
    while [ $rounds -lt 100 ]; do
        rounds=$((rounds + 1))
        others=
        for folder in /proc/[0-9]*; do
            case ${folder#/proc/} in 1 | $$) continue ;; esac
            living "$folder" || continue
            line=
            read -r line < "$folder/cmdline"
            case $line in sleep*3600) continue ;; esac
            others=1
        done
        [ -n "$others" ] || break
    done
}
"#;

/// Kills what runs in a container of the user's on behalf of one command: what has `$mark` in its environment, or
/// belongs to the process group `$group`. `$$` is spared.
const KILL_MARKED: &str = r#"
kill_marked() {
    rounds=0
    while [ $rounds -lt 100 ]; do
        rounds=$((rounds + 1))
        found=
        for folder in /proc/[0-9]*; do
            id=${folder#/proc/}
            [ "$id" = "$$" ] && continue
            living "$folder" || continue
            rest=${rest#* }; rest=${rest#* }
            if [ "${rest%% *}" = "$group" ] || grep -qs "$mark" "$folder/environ"; then
                kill -9 "$id" && found=1
            fi
        done
        [ -n "$found" ] || break
    done
}
"#;

/// Runs `$1` in a container of the user's, with `$2` as its mark and at most `$3` KiB of data for each process.
const THEIRS: &str = r#"
exec 3>&2 2>/dev/null
ulimit -c 0
ulimit -d "$3"
mark=$2 group=$$
/bin/sh -c "$1" </dev/null 2>&3 3>&-
status=$?
kill_marked
printf '\001patchwright %s 0 0\n' "$status" >&3
"#;

/// Ends a command that runs in a container of the user's; `$1` is its mark.
const END_THEIRS: &str = "exec 2>/dev/null\nmark=$1 group=none\nkill_marked\n";

/// The arguments that run a line in a container of ours. `owner` as `uid:gid`, or empty.
pub(super) fn ours(line: &str, owner: &str) -> Vec<String> {
    shell(&format!("{HITS}{TIDY}{OURS}"), &[line, owner])
}

/// The arguments that run a line in a container as its image's makers meant it.
pub(super) fn native(line: &str, owner: &str) -> Vec<String> {
    shell(&format!("{HITS}{LIVING}{LEAVE}{OURS}"), &[line, owner])
}

/// The arguments that run a line in a container of the user's.
pub(super) fn theirs(line: &str, mark: &str, memory_bytes: u64) -> Vec<String> {
    shell(&format!("{LIVING}{KILL_MARKED}{THEIRS}"), &[line, mark, &(memory_bytes / 1024).to_string()])
}

/// The arguments that end a command in a container of the user's.
pub(super) fn end_theirs(mark: &str) -> Vec<String> {
    shell(&format!("{LIVING}{KILL_MARKED}{END_THEIRS}"), &[mark])
}

/// The arguments that run a script with its own arguments.
pub(super) fn shell(script: &str, arguments: &[&str]) -> Vec<String> {
    let fixed = ["/bin/sh", "-c", script, "sh"];
    fixed.iter().chain(arguments).map(|&argument| argument.to_owned()).collect()
}

/// The report of the wrapping shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Report {
    /// The status of the command.
    pub(super) status: i32,
    /// Processes of it that were killed for want of memory.
    pub(super) memory_hits: u64,
    /// Further processes that it was refused.
    pub(super) process_hits: u64,
}

/// Takes the report off the end of a stream that passes through.
#[derive(Debug, Default)]
pub(super) struct ReportFilter {
    held: Vec<u8>,
}

impl ReportFilter {
    /// Takes the next bytes and gives those that cannot belong to a report.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let surplus = self.held.len().saturating_sub(REPORT_BYTES);
        self.held.drain(..surplus).collect()
    }

    /// The rest of the stream, and the report when there is one.
    pub(super) fn finish(mut self) -> (Vec<u8>, Option<Report>) {
        let at = (0..self.held.len()).rev().find(|&at| self.held[at..].starts_with(MARK));
        let report = at.and_then(|at| parse(&self.held[at + MARK.len()..]));
        if let (Some(at), Some(_)) = (at, report) {
            self.held.truncate(at);
        }
        (self.held, report)
    }
}

fn parse(report: &[u8]) -> Option<Report> {
    let mut fields = std::str::from_utf8(report).ok()?.strip_suffix('\n')?.split(' ');
    let status = fields.next()?.parse().ok()?;
    let memory_hits = fields.next()?.parse().ok()?;
    let process_hits = fields.next()?.parse().ok()?;
    fields.next().is_none().then_some(Report { status, memory_hits, process_hits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(pieces: &[&str]) -> (String, Option<Report>) {
        let mut filter = ReportFilter::default();
        let mut text = Vec::new();
        for piece in pieces {
            text.extend(filter.push(piece.as_bytes()));
        }
        let (rest, report) = filter.finish();
        text.extend(rest);
        (String::from_utf8_lossy(&text).into_owned(), report)
    }

    #[test]
    fn the_report_is_taken_off_the_end() {
        let long = "x".repeat(500);
        let report = |status, memory_hits, process_hits| Some(Report { status, memory_hits, process_hits });
        for (pieces, text, expect) in [
            (vec!["\x01patchwright 3 0 0\n"], String::new(), report(3, 0, 0)),
            (vec!["said\n\x01patch", "wright 137 1 20\n"], "said\n".to_owned(), report(137, 1, 20)),
            (vec![&long, "\x01patchwright 0 0 0\n"], long.clone(), report(0, 0, 0)),
            (vec![&long], long.clone(), None),
            (vec!["\x01patchwright 0 0 0\nmore"], "\x01patchwright 0 0 0\nmore".to_owned(), None),
            (vec!["\x01patchwright 0 0"], "\x01patchwright 0 0".to_owned(), None),
        ] {
            assert_eq!(through(&pieces), (text, expect), "{pieces:?}");
        }
    }
}
