"""The design of a run: how often each measurement is launched, with which settings, in which order.

A launch is one start of mpirun or srun. Launches of one measurement differ by more than the blocks
within one, so they are the unit of comparisons. A variant is a set of environment variables; all
variants of a measurement are launched one right after the other.
"""

from __future__ import annotations

import dataclasses
import random
import re
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

from combench.common.documents import Json
from combench.common.errors import SuiteError
from combench.common.values import real, whole
from combench.suite.expand import Measurement

PROGRAMS = "CB_BUILD"  # the variable of a variant that names the folder of its programs
CONTROL = "control"  # the section that no variant can change
# Its text, for plans without such a section: what only the processor and its memory do.
CONTROL_SECTION = f"""
[{CONTROL}]
benchmark = oneway
technologies = null
sizes = 64, 64KiB
max-time = 0.3
options = --mode pingpong
"""
LEAST_LAUNCHES = 3  # before --until may end the launches of a measurement
_MOST_UNTIL = 10  # launches, at most, without --repeat
_MOST_VARIANTS = 8

launch_count = whole(1, 1000)
seed_number = whole(0, 10**9)


def until_pct(text: str) -> float:
    """A precision in per cent: 2%, 0.5."""
    return real(0.1, 100, "per cent")(text.removesuffix("%"))


@dataclass(frozen=True)
class Variant:
    name: str
    settings: tuple[tuple[str, str], ...] = ()  # environment variables

    @property
    def words(self) -> list[str]:
        return [f"{name}={value}" for name, value in self.settings]


def variant(text: str) -> Variant:
    """NAME, or NAME:ENV=VALUE,...; a value may have commas: NAME:OMPI_MCA_btl=tcp,self."""
    name, _, rest = text.partition(":")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name) or re.fullmatch(r"launch-[0-9]+", name):
        raise ValueError(
            f"'{name}' is not a name of a variant; give NAME:ENV=VALUE,... with letters, digits, - "
            "and _ in NAME, which is not launch-N"
        )
    settings: dict[str, str] = {}
    for part in re.split(r",(?=[A-Za-z_][A-Za-z0-9_]*=)", rest) if rest else []:
        variable, equals, value = part.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
            raise ValueError(f"'{part}' of variant {name} is not a setting; give ENV=VALUE")
        if not value.isprintable():
            raise ValueError(f"the value of {variable} of variant {name} has control characters")
        if variable in settings:
            raise ValueError(f"variant {name} sets {variable} twice; keep one")
        settings[variable] = value
    return Variant(name, tuple(settings.items()))


@dataclass(frozen=True)
class Design:
    """`repeat` None: the plan says how often."""

    repeat: Optional[int] = None
    until_pct: Optional[float] = None
    seed: Optional[int] = None
    variants: tuple[Variant, ...] = ()

    def document(self) -> Json:
        """For the manifest; without what is not set."""
        found: Json = {name: value for name, value in vars(self).items() if value not in (None, ())}
        if self.variants:
            found["variants"] = [
                {"name": one.name, "environment": dict(one.settings)} for one in self.variants
            ]
        return found

    @classmethod
    def read(cls, document: Json) -> Design:
        """From a manifest; those of older versions have none, and those of later ones more keys."""
        variants = (
            Variant(one["name"], tuple(one["environment"].items()))
            for one in document.get("variants", ())
        )
        numbers = (document.get(key) for key in ("repeat", "until_pct", "seed"))
        return cls(*numbers, variants=tuple(variants))

    def settings_of(self, name: str) -> dict[str, str]:
        return next((dict(one.settings) for one in self.variants if one.name == name), {})

    def launches_of(self, one: Measurement) -> int:
        """The number of launches of a measurement, at most."""
        if self.repeat is None and self.until_pct is not None:
            return max(_MOST_UNTIL, one.repeat)
        return self.repeat or one.repeat


def given(arguments: Any) -> Design:
    """The design of the command line. Raises SuiteError."""
    variants = tuple(arguments.variant or ())
    names = [one.name for one in variants]
    if len(variants) == 1:
        raise SuiteError("one --variant has nothing to be compared with; add another, such as plain")
    if len(set(names)) < len(names):
        raise SuiteError(f"--variant: {', '.join(names)} are not different names; rename one")
    if len(variants) > _MOST_VARIANTS:
        raise SuiteError(f"more than {_MOST_VARIANTS} variants; compare fewer in a run")
    return Design(arguments.repeat, arguments.until, arguments.seed, variants)


def started(asked: Design) -> Design:
    """The design of a new run: with a seed, which the manifest keeps."""
    seed = random.SystemRandom().randrange(10**9) if asked.seed is None else asked.seed
    return dataclasses.replace(asked, seed=seed)


def resumed(kept: Design, asked: Design, directory: Any) -> Design:
    """The design of a run that is continued; --repeat may add launches."""
    for name in ("until_pct", "seed", "variants"):
        value = getattr(asked, name)
        if value not in (None, (), getattr(kept, name)):
            raise SuiteError(
                f"--resume: the run in {directory} was started with another --until, --seed or "
                "--variant; omit them, or start a new run in another directory"
            )
    if asked.repeat is None:
        return kept
    if kept.repeat is not None and asked.repeat < kept.repeat:
        raise SuiteError(
            f"--resume: the run in {directory} has {kept.repeat} launches; give --repeat "
            f"{kept.repeat} or more, or omit it"
        )
    return dataclasses.replace(kept, repeat=asked.repeat)


def arranged(planned: Sequence[Measurement], design: Design) -> list[Measurement]:
    """All launches in their order: that of the plan for one launch of each, else random in each
    round of launches. A round has no launch of the next one, so an early end leaves whole rounds.

    The place of a measurement follows from seed, round and name alone: it is the same after
    --resume, whatever else can be measured then.
    """

    def drawn(launch: int, name: str) -> float:
        return random.Random(f"{design.seed} {launch} {name}").random()

    variants = design.variants or (Variant(""),)
    rounds = max(map(design.launches_of, planned), default=0)
    found: list[Measurement] = []
    for launch in range(1, rounds + 1):
        due = [one for one in planned if launch <= design.launches_of(one)]
        if rounds > 1 or design.variants:
            due.sort(key=lambda one: drawn(launch, one.name))
        for one in due:
            every = sorted(variants, key=lambda each: drawn(launch, f"{one.name} {each.name}"))
            found += (dataclasses.replace(one, launch=launch, variant=each.name) for each in every)
    return found


def with_control(
    planned: Sequence[Measurement], control: Iterable[Measurement]
) -> list[Measurement]:
    """The measurements with those of the control, which are launched as often as any other."""
    most = max((one.repeat for one in planned), default=1)
    return [*planned, *(dataclasses.replace(one, repeat=most) for one in control)]
