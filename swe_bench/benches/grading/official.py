"""Grades the logs of a folder with the official program and prints seconds and verdicts as JSON.

usage: official.py FOLDER ROUNDS; FOLDER has rows.json and logs/run_evaluation/bench/gold/<id>/test_output.txt
"""

import importlib.metadata
import json
import pathlib
import sys
import time

from swebench.harness import grading

folder, rounds = pathlib.Path(sys.argv[1]), int(sys.argv[2])
version = importlib.metadata.version("swebench")


def spec(row):
    tests = {"FAIL_TO_PASS": row["FAIL_TO_PASS"], "PASS_TO_PASS": row["PASS_TO_PASS"]}
    common = dict(instance_id=row["instance_id"], repo=row["repo"], version=row["version"], eval_script_list=[], **tests)
    if version.startswith("4"):
        from swebench.harness.test_spec.test_spec import TestSpec

        return TestSpec(
            **common, repo_script_list=[], env_script_list=[], arch="x86_64", language="py", docker_specs={}, namespace=None
        )
    from swebench.types import TestSpec

    return TestSpec(**common, image="", log_parser=row["log_parser"], eval_type="pass_and_fail")


def grade_all():
    verdicts = {}
    for one in specs:
        log = folder / "logs/run_evaluation/bench/gold" / one.instance_id / "test_output.txt"
        statuses, found = grading.get_logs_eval(one, str(log))
        required = {"FAIL_TO_PASS": one.FAIL_TO_PASS, "PASS_TO_PASS": one.PASS_TO_PASS}
        report = grading.get_eval_tests_report(statuses, required)
        verdicts[one.instance_id] = grading.get_resolution_status(report) if found else "RESOLVED_NO"
    return verdicts


specs = [spec(row) for row in json.loads((folder / "rows.json").read_text())]
best = float("inf")
for _ in range(rounds):
    start = time.perf_counter()
    verdicts = grade_all()
    best = min(best, time.perf_counter() - start)
print(json.dumps({"version": version, "seconds": best, "verdicts": verdicts}))
