"""Grades made-up logs with the official SWT-Bench and prints seconds, verdicts and aggregates as JSON.

usage: swt.py CHECKOUT FOLDER ROUNDS
"""

import json
import os
import pathlib
import sys
import time

checkout, folder, rounds = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
sys.path[:0] = [str(checkout), str(checkout / "src")]
os.chdir(checkout)

from figures import util
from src.grading import get_coverage_eval, get_logs_eval, get_pred_report
from src.run_evaluation import test_directive_id
from src.utils import get_test_directives

LOGS = folder / "run_instance_swt_logs"
rows = json.loads((folder / "dataset.json").read_text())


def paths(row):
    instance, repository = row["instance_id"], row["repo"]
    predicted = LOGS / "fuzz" / "pred_pre__made__up" / instance
    if not (predicted / "model_patch.diff").exists() or not (predicted / "test_output.txt").exists():
        return None
    own = test_directive_id(get_test_directives((predicted / "model_patch.diff").read_text(), repository))
    golden = test_directive_id(get_test_directives(row["test_patch"], repository))
    found = [predicted, LOGS / "fuzz" / "pred_post__made__up" / instance]
    found += [LOGS / kind / instance / digest for kind, digest in
              (("gold_pre", golden), ("gold_post", golden), ("base_pre", own), ("base_post", own))]
    return [path / "test_output.txt" for path in found]


def grade(row):
    found = paths(row)
    if found is None:
        return "not run"
    read = [get_logs_eval(path, row["repo"], "unit_test") for path in found]
    traces = [get_coverage_eval(path) for path in found]
    report = get_pred_report(row["instance_id"], read[0][1], row["patch"], [statuses for statuses, _ in read], traces, True)
    return report[row["instance_id"]]


best, verdicts = float("inf"), {}
for _ in range(rounds):
    start = time.perf_counter()
    for row in rows:
        try:
            verdicts[row["instance_id"]] = grade(row)
        except Exception as error:
            verdicts[row["instance_id"]] = f"error: {type(error).__name__}: {error}"
    best = min(best, time.perf_counter() - start)

reports = {key: value for key, value in verdicts.items() if not isinstance(value, str)}
resolved, unresolved = util.filtered_by_resolved(reports)
aggregates = {
    "W": util.no_error_count(reports), "S": util.ftp_count(reports), "F->X": util.ftx_count(reports), "F->P": util.actual_ftp_count(reports),
    "P->P": util.ptp_count(reports), "delta": util.sum_coverage_delta(reports), "possible": util.count_coverage_delta_gold(reports),
    "delta_resolved": util.sum_coverage_delta(resolved), "possible_resolved": util.count_coverage_delta_gold(resolved),
}
print(json.dumps({"seconds": best, "verdicts": verdicts, "aggregates": aggregates}))
