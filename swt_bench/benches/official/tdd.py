"""Grades made-up logs with the official TDD-Bench and prints seconds and reports as JSON.

usage: tdd.py CHECKOUT FOLDER ROUNDS

The official program grades right after it ran a container, so it is given one that prints what the logs hold; everything else is its own.
"""

import contextlib
import io
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import types

checkout, folder, rounds = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
sys.path.insert(0, str(checkout))

treesitter = types.ModuleType("cldk.analysis.commons.treesitter")
treesitter.TreesitterPython = lambda: types.SimpleNamespace(get_all_classes=lambda module: [])
for name in ("cldk", "cldk.analysis", "cldk.analysis.commons"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["cldk.analysis.commons.treesitter"] = treesitter

from tddbench.harness import run_evaluation as official

LOGS = folder / "logs/run_evaluation/fuzz"
rows = json.loads((folder / "tdd_dataset.json").read_text())
predictions = {row["instance_id"]: row for row in map(json.loads, (folder / "tdd.jsonl").read_text().splitlines())}


class Container:
    id = "none"

    def start(self):
        pass

    def exec_run(self, *_, **__):
        return types.SimpleNamespace(output=b"", exit_code=0)


def outputs(instance):
    read = lambda kind: open(LOGS / kind / instance / "test_coverage_combine.txt").read()
    return ["", read("gold_before"), read("gold")]


def grade(row, work):
    instance = row["instance_id"]
    left = outputs(instance)
    official.exec_run_with_timeout = lambda container, command, timeout: (left.pop(0) if command == "/bin/bash /eval.sh" else "", False, 0.0)
    spec = types.SimpleNamespace(instance_id=instance, instance_image_key="none", eval_script="true\n", test_patch=predictions[instance]["model_patch"])
    official.run_instance(spec, {"instance_id": instance, "model_patch": row["patch"], "model_name_or_path": "gold"}, False, False, None, "fuzz", 1)
    report = work / "gold" / instance / "report.json"
    return json.loads(report.read_text())[instance] if report.exists() else "error"


official.build_container = lambda *_: Container()
official.copy_to_container = lambda *_: None
official.cleanup_container = lambda *_: None
best, verdicts = float("inf"), {}
os.chdir(tempfile.mkdtemp())
for _ in range(rounds):
    shutil.rmtree("logs", ignore_errors=True)
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        for row in rows:
            if predictions[row["instance_id"]]["model_patch"]:
                verdicts[row["instance_id"]] = grade(row, pathlib.Path("logs/run_evaluation/fuzz").absolute())
            else:
                verdicts[row["instance_id"]] = "empty"
    best = min(best, time.perf_counter() - start)
functions = {key: official.get_contributing_functions(prediction["model_patch"]) for key, prediction in predictions.items()}
print(json.dumps({"seconds": best, "verdicts": verdicts, "functions": functions}))
