"""The package in the forms that other tools take: scikit-learn's estimators, PyTerrier's frames."""
