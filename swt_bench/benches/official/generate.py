"""Makes up datasets, predictions and logs for a comparison with the official programs.

usage: generate.py FOLDER CASES SEED

Writes FOLDER/dataset.json, FOLDER/run_instance_swt_logs/... (SWT-Bench) and FOLDER/tdd.jsonl, FOLDER/tdd_dataset.json and
FOLDER/logs/run_evaluation/... (TDD-Bench). Nothing in them is of a real project; the names of projects only choose the parser.
"""

import hashlib
import json
import pathlib
import random
import sys

FOLDER, CASES, SEED = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
random.seed(SEED)
pick, chance, number = random.choice, lambda share: random.random() < share, random.randint
REPOSITORIES = """astropy/astropy django/django marshmallow-code/marshmallow matplotlib/matplotlib mwaskom/seaborn pallets/flask
psf/requests pvlib/pvlib-python pydata/xarray pydicom/pydicom pylint-dev/astroid pylint-dev/pylint pytest-dev/pytest pyvista/pyvista
scikit-learn/scikit-learn sqlfluff/sqlfluff sphinx-doc/sphinx sympy/sympy""".split()
WEIGHTED = REPOSITORIES + ["django/django", "sympy/sympy"] * 4
CODE = ["value = compute(value)", "", "# a remark", "return value", "if value - 1:", "total += 1", "- a list in a docstring", "+ another",
        "    nested(value)", "raise ValueError('x')", "#", "    ", "x = [1,", "    -2]", "    + 3", "name = 'äöü'", "--count", "pass"]
WORDS = ["collecting ...", "", "Traceback (most recent call last):", "E   ValueError: no", "ok", "FAILEDx y", "PASSEDx y",
         "ERROR: setUpClass (mod.Case)", "System check identified no issues (0 silenced).", "x ... y", "warnings summary", "ok then",
         "Testing against Django installed in '/x' with up to 2 processes", "SKIPPED [2] t.py:3: no", "XFAIL t.py::x", "----- Captured -----",
         "+ echo 0", "1 passed, 2 failed", "\x1b[31mred\x1b[0m", "XPASS a", "test_", "test_only name", "... OK", "skipped", "FAILED a - b - c"]


# Where the official programs end with an error.
BROKEN = ["FAILED", "ERROR:", "FAIL: "]


def patch_of(path, production):
    """A unified diff of a file, the lines that it removes and adds, and the numbers of context lines."""
    kind = "modified" if chance(0.85) else pick(["added", "removed", "renamed"])
    old, new, body, removed, added = number(1, 60), 0, [], [], []
    new = old
    if kind == "added":
        old, new = 0, 1
    text = ["def test_%s():" % pick("abcdef") if not production and chance(0.4) else "    " * number(0, 2) + pick(CODE) for _ in range(number(2, 12))]
    hunks, before, after, shift = [], old, new, 0
    for _ in range(1 if kind != "modified" else number(1, 3)):
        lines, first_before, first_after = [], before, after
        for line in text[: number(2, len(text))]:
            mark = {"added": "+", "removed": "-"}.get(kind) or random.choices(" -+", [5, 2, 3])[0]
            lines.append(mark + line)
            if mark != "+":
                if mark == "-":
                    removed.append(before)
                before += 1
            if mark != "-":
                if mark == "+":
                    added.append(after)
                after += 1
        counts = (before - first_before, after - first_after)
        heading = pick(["", " def function():", " class Case(object):"])
        hunks.append(f"@@ -{first_before},{counts[0]} +{first_after},{counts[1]} @@{heading}\n" + "".join(line + "\n" for line in lines))
        gap = number(4, 20)
        before, after = before + gap, after + gap
    if chance(0.05):
        hunks[-1] += "\\ No newline at end of file\n"
    source = path if kind != "renamed" else path.replace(".py", "_old.py")
    head = f"diff --git a/{source} b/{path}\n"
    head += {"added": "new file mode 100644\nindex 000..123\n", "removed": "deleted file mode 100644\nindex 123..000\n",
             "renamed": f"similarity index 80%\nrename from {source}\nrename to {path}\nindex 1..2 100644\n"}.get(kind, "index 1..2 100644\n")
    head += f"--- {'/dev/null' if kind == 'added' else 'a/' + source}\n+++ {'/dev/null' if kind == 'removed' else 'b/' + path}\n"
    return head + "".join(hunks), [(source, line) for line in removed], [(path, line) for line in added]


def test_name(repository, index):
    if repository == "django/django":
        return f"test_{pick('abcdefgh')}{index} ({pick(['app.tests', 'other'])}.{pick(['Case', 'More'])})"
    if repository == "sympy/sympy":
        return f"test_{pick('abcdefgh')}{index}"
    name = f"pkg/tests/test_m.py::{pick(['', 'Case::'])}test_{pick('abcdefgh')}{index}"
    return name + pick(["", "", "", "[1]", "[/a/b.c]", "[//a]", "[MouseButton.LEFT]", "[x-/y]", "[é]", "[a b]"])


def shown(repository, name, status):
    """The lines by which a test tool tells a test."""
    if repository == "django/django":
        end = {"P": "ok", "F": "FAIL", "E": "ERROR", "S": "skipped 'why'"}[status]
        middle = pick(["", "", "", "\nSays what it is for.", "\nSays more ... or less.", "\nok"])
        noise = pick(["", "", "", pick(WORDS) + "\n", "Internal Server Error: /x/\n", "printed\n"])
        dots = pick([" ... "] * 6 + ["... ", " ...  ", "...", " .... ", " ...\n"])
        return f"{name}{middle}{dots}{noise}{end}\n"
    if repository == "sympy/sympy":
        end = {"P": "ok", "F": "F", "E": "E", "S": "s"}[status]
        return f"{name} {end}{pick(['', '', '   [OK]', ' [FAIL]'])}{pick([chr(10)] * 9 + [' '])}"
    word = {"P": "PASSED", "F": "FAILED", "E": "ERROR", "S": "SKIPPED", "X": "XFAIL"}[status]
    reason = pick(["", " - assert 1 == 2", " - ValueError: a - b", " extra words"]) if status in "FE" else ""
    forms = [f"{word} {name}{reason}\n"] * 5
    if repository in ("astropy/astropy", "scikit-learn/scikit-learn", "sphinx-doc/sphinx", "mwaskom/seaborn"):
        forms += [f"{name} {word}\n", f"{name} {word} [ 10%]\n", f"\x1b[32m{word}\x1b[0m {name}\n", f"\x1b[1m{name} \x1b[31m{word}\n"]
    return pick(forms)


def headings(repository, tests):
    text = ""
    for name, status in tests.items():
        if status in "FE" and chance(0.7):
            if repository == "django/django":
                text += f"{'=' * 70}\n{'FAIL' if status == 'F' else 'ERROR'}: {name}{pick(['', '', ' and ' + name])}\n{'-' * 70}\nTraceback\n"
            elif repository == "sympy/sympy":
                text += f"{'_' * number(3, 60)}\n{'_' * number(0, 20)} sympy/tests/test_m.py:{pick([':', ''])}{name} {'_' * number(0, 20)}\nTraceback\n"
    return text


def noise():
    return "".join(pick(BROKEN if chance(0.002) else WORDS) + "\n" for _ in range(number(0, 4)))


TOKENS = {
    "django/django": ["test_a", "test", "app_unmigrated", " (m.C)", "(", ")", "...", " ... ", "....", ".", " ", "\n", "ok", "OK", "FAILED", "ERROR",
                      "skipped", "x", "FAIL:", "\nFAIL: test_b (n.D)\n", "\nERROR: test_a (m.C)\n", "test_ ", "\t", "é", "_", "-", "\x1c", "ok\n"],
    "sympy/sympy": ["_", "____", "\n", " ", "a.py:", "a.py::", "test_a", "test_b", " ok ", " F\n", " E ", "E", "ok", "[OK]", "\t", "é", ".py", ":"],
}
TOKENS[""] = ["PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", " ", " ", "a", "b::c", "[", "]", "/", "//", "*", " - ", "-", "\t", "é", "\x1b[31m",
              "[3m", "\x1c", "MouseButton.LEFT", "\n", "\n", "\nPASSED x", "\nFAILED y", " PASSED z\n", "\x85", "\xa0"]


def soup(repository):
    """Words of a test tool in any order."""
    tokens = TOKENS.get(repository, TOKENS[""])
    return "".join(pick(tokens) for _ in range(number(10, 150)))


def output(repository, tests):
    if chance(0.08):
        return soup(repository)
    parts = [(noise() if chance(0.15) else "") + shown(repository, name, status) for name, status in tests.items()]
    filler = "".join(f"lib/python/site-packages/module_{n}.py:{n}: DeprecationWarning: old\n" for n in range(number(20, 400)))
    return noise() + "".join(parts) + headings(repository, tests) + filler + noise()


def run_of(pool, fixed):
    """Statuses of a run: those that the fix changes are told apart by name."""
    statuses = {}
    for name, (before, after) in pool.items():
        status = after if fixed else before
        if chance(0.03):
            status = pick("PFES")
        if status != "-":
            statuses[name] = status
    return statuses


def pool_of(repository, count):
    changes = ["PP"] * 6 + ["FP", "EP", "FF", "PF", "EE", "SS", "-P", "P-", "F-", "PE", "FE", "SP"]
    return {test_name(repository, index): pick(changes) for index in range(count)}


def trace_of(lines, fixed):
    files = {}
    for path, line in lines:
        if chance(0.8):
            files.setdefault(path, {})[str(line)] = pick([0, 0, 1, 1, 2, 7, number(0, 100000)])
    for path in list(files) + ["other.py"]:
        for _ in range(number(5, 60)):
            files.setdefault(path, {}).setdefault(str(number(0, 500)), number(0, 9))
    text = ""
    for path, hits in files.items():
        for _ in range(pick([1, 1, 1, 2])):
            text += json.dumps({"/testbed/" + path: hits}) + "\n"
        if chance(0.05):
            text += '{"/testbed/' + path + '": {"1": 3,\n'
        if chance(0.05):
            text += "some noise\n"
    return text


COMMAND = "+ python3 /root/trace.py --count -C coverage.cover --include-pattern '/testbed/(x\\.py)' -m pytest -rA pkg/tests/test_m.py\n"


def log_of(repository, tests, lines, fixed):
    text = "+ source /opt/miniconda3/bin/activate\n" + noise() + "PASSED before/any.py::test\n"
    text += "Checking patch pkg/m.py...\n" + pick(["Applied patch pkg/m.py cleanly.\n"] * 12 + ["APPLIED PATCH x\n", "", "error: corrupt patch at line 3\n"])
    traced = chance(0.93)
    text += COMMAND if traced else "+ pytest -rA pkg/tests/test_m.py\n"
    text += output(repository, tests)
    if traced and chance(0.03):
        text += COMMAND + output(repository, tests)
    if traced:
        text += "+ cat coverage.cover\n" + trace_of(lines, fixed)
    text += "+ git checkout 0123\nM pkg/m.py\n+ git apply /root/pre_state.patch\n"
    if chance(0.02):
        text += pick([">>>>> Patch Apply Failed\n", ">>>>> Tests Timed Out\n", "Failed to reset task environment\n", ">>>>> Reset Failed"])
    if chance(0.02):
        text = text[: number(len(text) // 2, len(text))]
    if chance(0.02):
        text = text.replace("\n", "\r\n")
    return text


def directives(patch, repository):
    import re

    found = re.findall(r"diff --git a/.* b/(.*)", patch)
    ends = (".json", ".png", "csv", ".txt", ".md", ".jpg", ".jpeg", ".pkl", ".yml", ".yaml", ".toml")
    found = [path for path in found if not path.endswith(ends)]
    if repository == "django/django":
        found = [path.removesuffix(".py").removeprefix("tests/").replace("/", ".") for path in found]
    return hashlib.sha256("__".join(found).encode()).hexdigest()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def swt_case(index):
    repository = pick(WEIGHTED)
    instance = f"{repository.replace('/', '__')}-{100000 + index}"
    patches = [patch_of(f"pkg/module_{n}.py", True) for n in range(number(1, 3))]
    golden = "".join(patch for patch, _, _ in patches)
    removed, added = [line for p in patches for line in p[1]], [line for p in patches for line in p[2]]
    tests = "".join(patch_of(f"tests/test_{n}.py", False)[0] for n in range(number(1, 2)))
    predicted = "".join(patch_of(f"{pick(['tests/', 'pkg/tests/', 'pkg/'])}test_{pick('pq')}{n}{pick(['.py'] * 5 + ['.json'])}", False)[0]
                        for n in range(number(1, 2)))
    old = pool_of(repository, number(0, 30))
    new = pool_of(repository, number(0, 6))
    if chance(0.5):
        old = {name: change if change in ("PP", "SS") else "PP" for name, change in old.items()}
        new = {name: pick(["FP", "EP", "PP", "-P"]) for name in new}
    gold_pool = {**old, **pool_of(repository, 3)}
    pools = {"pred": {**old, **new} if chance(0.8) else new, "gold": gold_pool, "base": old}
    logs = FOLDER / "run_instance_swt_logs"
    for kind, pool in pools.items():
        for when, fixed in (("pre", False), ("post", True)):
            if chance(0.03) and not (kind == "pred" and when == "pre" and chance(0.7)):
                continue
            log = log_of(repository, run_of(pool, fixed), added if fixed else removed, fixed)
            if kind == "pred":
                folder = logs / "fuzz" / f"pred_{when}__made__up" / instance
            else:
                folder = logs / f"{kind}_{when}" / instance / directives(tests if kind == "gold" else predicted, repository)
            write(folder / "model_patch.diff", predicted)
            write(folder / "test_output.txt", log)
    row = dict(repo=repository, instance_id=instance, base_commit="0123", patch=golden, test_patch=tests, problem_statement="A ValueError.",
               hints_text="", created_at="", version="1.0", FAIL_TO_PASS="[]", PASS_TO_PASS="[]", environment_setup_commit="")
    return row, dict(instance_id=instance, model_name_or_path="made/up", model_patch=predicted)


def missing():
    items = []
    for _ in range(number(0, 12)):
        first = number(1, 70)
        items.append(pick([str(first), f"{first}-{first + number(0, 9)}", f"{first}->{first + 2}", f"{first}->exit", f"{first}->-{first}"]))
    if chance(0.01):
        items.append("many")
    return ", ".join(items)


def tdd_log(repository, tests, files, command):
    text = "+ source activate\n" + noise() + pick(["Applied patch tests/test_m.py cleanly.\n"] * 15 + ["", "error: corrupt patch\n"])
    if chance(0.1):
        text += "PASSED before\n>>>>> Applied Patch (pred)\n"
    text += f"+ {command}\n" + output(repository, tests)
    if chance(0.02):
        text += pick([">>>>> Tests Errored\n", ">>>>> Tests Timed Out\n"])
    if chance(0.98):
        text += "+ coverage report -m\nName    Stmts   Miss Branch BrPart  Cover   Missing\n-----\n"
        for path in files:
            if chance(0.9):
                columns = "10      2      4      1    80%" if chance(0.8) else "10   2   80%"
                text += f"{path}      {columns}   {missing()}\n"
        text += "TOTAL   10   2   80%\n+ git checkout 0123\n"
    return text


def tdd_case(index):
    repository = pick(WEIGHTED)
    instance = f"{repository.replace('/', '__')}-{100000 + index}"
    paths = [f"pkg/module_{n}.py" for n in range(number(1, 3))]
    golden = "".join(patch_of(path, True)[0] for path in paths)
    if chance(0.01):
        golden = golden.replace(" value", " @@ value", 1)
    predicted = "".join(patch_of(f"{pick(['tests/', 'pkg/tests/'])}test_{n}.py", False)[0] for n in range(number(1, 2)))
    pool = {name: pick(["FP"] * 5 + ["EP", "PP", "SS", "FF", "PE", "-P"]) for name in pool_of(repository, number(1, 4))}
    runs = {}
    for when, fixed in (("before", False), ("after", True)):
        log = tdd_log(repository, run_of(pool, fixed), paths, "coverage run --branch -m pytest -rA TESTS")
        runs[when] = log
        folder = FOLDER / "logs/run_evaluation/fuzz" / ("gold_before" if when == "before" else "gold") / instance
        write(folder / "test_coverage_combine.txt", log)
    row = dict(repo=repository, instance_id=instance, base_commit="0123", patch=golden, test_patch="", problem_statement="", version="1.0")
    return row, dict(instance_id=instance, model_patch=predicted if chance(0.98) else "")


def main():
    swt = [swt_case(index) for index in range(CASES)]
    tdd = [tdd_case(index) for index in range(CASES)]
    write(FOLDER / "dataset.json", json.dumps([row for row, _ in swt]))
    write(FOLDER / "predictions.jsonl", "".join(json.dumps(prediction) + "\n" for _, prediction in swt))
    write(FOLDER / "tdd_dataset.json", json.dumps([row for row, _ in tdd]))
    write(FOLDER / "tdd.jsonl", "".join(json.dumps(prediction) + "\n" for _, prediction in tdd))


main()
