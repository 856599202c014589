"""The last step of a run whose plan has `predict`: combench predict of the run's results."""

from __future__ import annotations

import sys
from pathlib import Path

from combench.common import documents
from combench.common.documents import Json, read_recognised
from combench.common.errors import MEASURED, SuiteError, require_modules
from combench.suite import manifest as manifests
from combench.suite.directory import LOGS, RESULTS
from combench.suite.measure import Setting, last_words
from combench.suite.plan import Plan
from combench.suite.process import ENDED, TIMED_OUT, Signals, run

DOCUMENT, LOG = "prediction.json", f"{LOGS}/predict.txt"
KEY = "prediction"  # of the manifest
EXPECTED_S = 90.0
_LIMIT_S = 3600.0
MODULES = ("fastjsonschema", "scipy")


def planned(plan: Plan) -> Json:
    """The entry of the manifest before the step."""
    return {"scale": list(plan.predicted), "state": documents.PLANNED}


def is_due(plan: Plan, document: Json, measures: bool) -> bool:
    """Whether this session predicts: its plan asks for it, and results are new or not predicted."""
    state = document.get(KEY, {}).get("state")
    return bool(plan.predicted) and (measures or state != documents.MEASURED)


def _source(setting: Setting) -> Path:
    """What is predicted from: the first launches; of several variants, those of the first."""
    variants = setting.design.variants
    return setting.directory / RESULTS / variants[0].name if variants else setting.directory


def command(plan: Plan, setting: Setting) -> list[str]:
    return [
        sys.executable,
        str(Path(sys.argv[0]).resolve()),
        "predict",
        str(_source(setting)),
        "--scale",
        ",".join(map(str, plan.predicted)),
        "--technology",
        str(plan.sections[0].values["technologies"][0]),
        "--programs",
        str(setting.programs),
        "--output",
        str(setting.directory / DOCUMENT),
        *plan.predict_options,
    ]


def begin(plan: Plan, setting: Setting) -> Json:
    """The entry of the step that is about to run; an earlier result is removed."""
    (setting.directory / DOCUMENT).unlink(missing_ok=True)
    return {
        **planned(plan),
        "state": documents.RUNNING,
        "started": manifests.now(),
        "command": command(plan, setting),
        "log": LOG,
    }


def _judge(cause: str, status: int, setting: Setting) -> Json:
    if cause == TIMED_OUT:
        return {"state": documents.TIMED_OUT, "reason": "it did not end in time"}
    if cause != ENDED:
        return {"state": documents.INTERRUPTED, "reason": cause}
    if status != MEASURED:
        reason = f"exit status {status}: {last_words(setting.directory / LOG)}"
        return {"state": documents.FAILED, "reason": reason}
    try:
        document = read_recognised(setting.directory / DOCUMENT, documents.PREDICTION)
    except SuiteError as error:
        return {"state": documents.FAILED, "reason": str(error)}
    return {"state": documents.MEASURED, "result": DOCUMENT, "rows": len(document["results"])}


def predict(entry: Json, setting: Setting, signals: Signals, lock: int) -> str:
    """Run a step that has begun and complete its entry.

    Returns the name of the signal that stopped it, else an empty string; failures are in the entry.
    """
    try:
        require_modules(*MODULES)
    except SuiteError as error:
        entry.update(state=documents.SKIPPED, reason=str(error))
        return ""
    try:
        ending = run(
            entry["command"],
            setting.directory / LOG,
            _LIMIT_S,
            setting.environment,
            signals,
            (lock,),
        )
    except OSError as error:
        reason = f"cannot start {entry['command'][0]}: {error.strerror}"
        entry.update(state=documents.FAILED, reason=reason)
        return ""
    entry.update(exit_status=ending.status, elapsed_s=round(ending.elapsed_s, 3))
    entry.update(_judge(ending.cause, ending.status, setting))
    return ending.cause if ending.cause not in (ENDED, TIMED_OUT) else ""
