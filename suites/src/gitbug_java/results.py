import json
import os
import sys

def number(value):
    return len(value) if isinstance(value, list) else int(value or 0)

path = os.path.join(".gitbug-java", "test-results.json")
if not os.path.exists(path):
    sys.exit("there is no " + path)
with open(path, encoding="utf-8") as file:
    found = json.load(file)
failed = found.get("failed_tests") or []
count = max(number(found.get("executed_tests")) - number(found.get("skipped_tests")), len(failed))
print("Time: 0\n")
if failed:
    print("There were %d failures:" % len(failed))
    for place, test in enumerate(failed, 1):
        print("%d) %s(%s)" % (place, test["name"], test["classname"]))
        print("java.lang.AssertionError: it failed in the workflow")
    print("\nFAILURES!!!\nTests run: %d,  Failures: %d" % (count, len(failed)))
elif count:
    print("\nOK (%d tests)" % count)
