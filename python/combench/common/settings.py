"""Names for the numeric values of MPI settings in documents, as `ompi_info --all` lists them."""

from __future__ import annotations

from typing import Any, Mapping

_SWITCH = {"-1": "auto", "0": "false", "1": "true"}
_SINGLE_COPY = {"0": "xpmem", "1": "cma", "2": "knem", "3": "none", "4": "emulated"}
_NAMES: Mapping[str, Mapping[str, str]] = {
    "btl_sm_single_copy_mechanism": _SINGLE_COPY,
    "btl_vader_single_copy_mechanism": _SINGLE_COPY,
    "mpi_leave_pinned": _SWITCH,
}


def named(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of MPI, with names for known numeric values."""
    return {
        name: _NAMES.get(name, {}).get(str(value), value) for name, value in settings.items()
    }
