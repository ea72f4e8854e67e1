"""scikit-learn's base classes, which need not be installed: without it, estimators say so when they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aboutness.core.errors import UsageError

if TYPE_CHECKING:
    from typing import NoReturn

NEEDED = "scikit-learn is needed for this; run: pip install 'aboutness[sklearn]'"

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError:

    class BaseEstimator:  # type: ignore[no-redef]
        """Stands for scikit-learn's."""

        def __new__(cls, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401, D102 - whatever it was given
            raise UsageError(NEEDED)

    class TransformerMixin:  # type: ignore[no-redef]
        """Stands for scikit-learn's."""

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        """Stands for scikit-learn's."""

    def check_is_fitted(estimator: object) -> None:
        """Stand for scikit-learn's."""


__all__ = ["BaseEstimator", "ClassNamePrefixFeaturesOutMixin", "TransformerMixin", "check_is_fitted"]
