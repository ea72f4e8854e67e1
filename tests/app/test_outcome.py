from __future__ import annotations

import pytest

from aboutness.app.outcome import OUTCOMES, outcome
from aboutness.core import errors


def subclasses(kind):
    return {kind, *(deeper for child in kind.__subclasses__() for deeper in subclasses(child))}


@pytest.mark.parametrize("kind", sorted(subclasses(errors.AboutnessError), key=lambda kind: kind.__name__))
def test_every_error_has_the_outcome_of_its_nearest_kind(kind):
    nearest = next(base for base in kind.__mro__ if base in OUTCOMES)
    assert outcome(kind("x")) is OUTCOMES[nearest]


def test_codes():
    codes = {
        errors.UsageError: (2, 400), errors.BadInput: (3, 422), errors.BadRecord: (3, 422), errors.NotFound: (4, 404),
        errors.DamagedIndex: (5, 500), errors.FormatMismatch: (5, 500), errors.StorageError: (6, 507),
        errors.IndexBusy: (7, 409), errors.Overloaded: (8, 503), errors.Unreachable: (9, 503),
        errors.AboutnessError: (1, 500),
    }  # fmt: skip
    assert {kind: outcome(kind("x"))[:2] for kind in codes} == codes
    assert outcome(KeyboardInterrupt())[:2] == (130, 503)


def test_no_two_kinds_share_an_exit_code_and_none_means_success():
    numbers = [entry.exit_code for entry in OUTCOMES.values()]
    assert len(set(numbers)) == len(numbers)
    assert 0 not in numbers
    assert all(400 <= entry.http_status < 600 and entry.meaning for entry in OUTCOMES.values())
