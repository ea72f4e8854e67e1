# make demo   set everything up and run the main job
# make test   set everything up and run all tests
# Both need only Python 3.11+ with venv, and make. uv is used where it is installed.

PYTHON ?= python3
VENV   ?= .venv
BENCH  ?= .venv-bench
AUDIT  ?= .venv-audit
UV     := $(shell command -v uv 2>/dev/null)
BIN    := $(VENV)/bin

ifdef UV
  venv    = $(UV) venv --quiet --allow-existing --python $(PYTHON) $(1)
  install = VIRTUAL_ENV=$(1) $(UV) pip install --quiet
  locked  =
else
  venv    = $(PYTHON) -m venv $(1)
  install = $(1)/bin/python -m pip install --quiet --disable-pip-version-check
  locked  = --require-hashes
endif
editable = --no-deps --no-build-isolation --editable .
# Up to four processes share the tests, by files, so that what a file sets up is set up once (see tests/conftest.py).
SHARED  = -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: demo test check audit docs docs-serve licences format lock extras reproduce reproduce-full stress screenshots bench \
  bench-quick clean help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/run.stamp ## index the standard library's documentation and look into it
	$(BIN)/aboutness demo

test: $(VENV)/dev.stamp ## run all tests, on up to four cores
	$(BIN)/python -m pytest $(SHARED) $(PYTEST_ARGS)

check: $(VENV)/dev.stamp ## formatting, lint, types, rooms, and known vulnerabilities where these can be asked for
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory audit

audit: $(VENV)/dev.stamp ## known vulnerabilities of all locked packages; says so where they cannot be asked for
	@$(BIN)/python -m bench.audit || exit 0; \
	  $(MAKE) --no-print-directory $(AUDIT)/audit.stamp || exit 1; \
	  for file in requirements/*.txt; do \
	    echo "$$file"; $(AUDIT)/bin/pip-audit --progress-spinner off --disable-pip --require-hashes -r $$file || exit 1; \
	  done

docs: $(VENV)/dev.stamp ## build the docs site into site/; a warning, or a link that leads nowhere, is an error
	$(BIN)/python -m docsite

docs-serve: $(VENV)/dev.stamp ## build the docs site, and serve it on this machine
	$(BIN)/python -m docsite --serve 8001

licences: $(VENV)/dev.stamp ## write docs/licences.md anew
	$(BIN)/python -m bench.licences

format: $(VENV)/dev.stamp ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/run.stamp: requirements/run.txt pyproject.toml
	@echo "Fetching packages, some 500 MB, into $(VENV); this is done once"
	$(call venv,$(VENV))
	$(call install,$(VENV)) $(locked) -r requirements/run.txt
	$(call install,$(VENV)) $(editable)
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/run.stamp
	$(call install,$(VENV)) $(locked) -r requirements/dev.txt
	@touch $@

extras: $(VENV)/dev.stamp ## add the optional packages (one needs a C++ compiler)
	$(call install,$(VENV)) $(locked) -r requirements/extras.txt

PAPERS = galke2017 ai2016 malina2016 mitra2016
again = failed=; for paper in $(PAPERS); do \
  $(BIN)/aboutness reproduce $$paper $(1) -o reproduced/$$paper || failed="$$failed $$paper"; \
  done; test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }

reproduce: extras ## do the four papers again, in an hour, and check their numbers
	@$(call again,--check)

reproduce-full: extras ## the same with the papers' grids, in many hours
	@$(call again,--full)

stress: $(VENV)/dev.stamp ## kill, break, flood and deceive it for half an hour; figures go to bench/results
	$(BIN)/python -m bench.stress

screenshots: $(VENV)/dev.stamp ## take pictures of all pages for the README (needs Chromium)
	$(BIN)/python -m bench.screenshots

bench: $(BENCH)/bench.stamp ## measure against the peers, and write bench/results
	$(BENCH)/bin/python -m bench
	$(BENCH)/bin/python -m bench.search
	$(BENCH)/bin/python -m bench.vectors
	$(BENCH)/bin/python -m bench.dense
	$(BENCH)/bin/python -m bench.scale_approximate
	$(BENCH)/bin/python -m bench.movers
	$(BENCH)/bin/python -m bench.perturbation
	$(BENCH)/bin/python -m bench.paragraphs
	$(BENCH)/bin/python -m bench.large
	$(BENCH)/bin/python -m bench.ladder
	$(BENCH)/bin/python -m bench.default
	$(BENCH)/bin/python -m bench.measures
	$(BENCH)/bin/python -m bench.serving
	$(BENCH)/bin/python -m bench.first_use
	$(BENCH)/bin/python -m bench.pages

bench-quick: $(BENCH)/bench.stamp ## the same on small collections
	$(BENCH)/bin/python -m bench --quick
	$(BENCH)/bin/python -m bench.search --quick
	$(BENCH)/bin/python -m bench.vectors --quick
	$(BENCH)/bin/python -m bench.dense --quick
	$(BENCH)/bin/python -m bench.movers --quick
	$(BENCH)/bin/python -m bench.perturbation --quick
	$(BENCH)/bin/python -m bench.paragraphs --quick
	$(BENCH)/bin/python -m bench.large --quick
	$(BENCH)/bin/python -m bench.ladder --quick
	$(BENCH)/bin/python -m bench.default --quick
	$(BENCH)/bin/python -m bench.measures --quick
	$(BENCH)/bin/python -m bench.serving --quick

$(BENCH)/bench.stamp: requirements/bench.txt pyproject.toml
	$(call venv,$(BENCH))
	$(call install,$(BENCH)) $(locked) -r requirements/bench.txt
	$(call install,$(BENCH)) $(editable)
	@touch $@

$(AUDIT)/audit.stamp: requirements/audit.txt
	$(call venv,$(AUDIT))
	$(call install,$(AUDIT)) $(locked) -r requirements/audit.txt
	@touch $@

LOCKED  = --quiet --universal --generate-hashes --no-emit-index-url --no-annotate \
  --custom-compile-command "make lock" --python-version 3.11
COMPILE = $(UV) pip compile $(LOCKED) pyproject.toml

lock: ## resolve all requirements anew (needs uv)
	$(COMPILE) --group build -o requirements/run.txt
	$(COMPILE) --group build --group test --group check --group docs -o requirements/dev.txt -c requirements/run.txt
	$(COMPILE) --extra all -o requirements/extras.txt -c requirements/dev.txt
	$(COMPILE) --group build --group bench -o requirements/bench.txt -c requirements/run.txt
	$(UV) pip compile $(LOCKED) --group pyproject.toml:audit -o requirements/audit.txt

clean: ## remove what make made
	rm -rf $(VENV) $(BENCH) $(AUDIT) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
