# Every target makes its own .venv; a machine needs python3 (3.11 or newer) and pip, no more.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
READY_DOCS := $(VENV)/.ready-docs
NOTEBOOK := .venv-notebook
INSPECT := .venv-inspect
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

# Compiled modules are kept: tests start hundreds of processes, and each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-fast test-all durations mutants attacks browser notebook inspect lint format bench bench-all docs clean

demo: $(READY)
	$(BIN)/genotex demo demo

test: $(READY_DEV)
	$(BIN)/python -m pytest -m "not nightly"

test-fast: $(READY_DEV)
	$(BIN)/python -m pytest -m "not slow"

# What runs at night and before a release: every test, and those that need installations of their own.
test-all: $(READY_DEV) notebook inspect
	$(INSTALL) '.[browser]'
	$(BIN)/python -m pytest

# Records which tests are slow; of some: make durations TESTS=tests/genes
durations: $(READY_DEV)
	$(BIN)/python -m pytest -p tests.durations $(TESTS)

# Small bugs planted in changed modules, and the share that tests catch: make mutants SINCE=v0.2.0
mutants: $(READY_DEV)
	$(INSTALL) '.[dev]' 'mutmut>=3.8'
	$(BIN)/python -m benchmarks mutants $(if $(SINCE),--base $(SINCE)) $(FILES)

# Attempts made and held, for each place where something from outside comes in.
attacks: $(READY_DEV)
	$(BIN)/python -m tests.attacks

# One at a time: a loaded machine makes a browser miss its moments.
browser: $(READY_DEV)
	$(INSTALL) '.[browser]'
	$(BIN)/python -m pytest -n 0 -m "not nightly" tests/app/test_browser.py tests/app/test_browser_pages.py tests/app/test_browser_sign_in.py tests/app/test_browser_tasks.py tests/reports/test_report_explorer.py

notebook: $(NOTEBOOK)/.ready
	$(NOTEBOOK)/bin/python -m pytest -n 0 tests/api/test_reference.py -k notebook_runs

inspect: $(INSPECT)/.ready
	$(INSPECT)/bin/python -m pytest -n 0 tests/bench/adapters/test_inspect.py

lint: $(READY_DEV)
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY_DEV)
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks

# One benchmark, or the list of all: make bench NAME="analyze_problem --genes 5000"
bench: $(READY_DEV)
	$(BIN)/python -m benchmarks $(NAME)

# Ratios to the published steps, to gzip and, with INPUT=folder, to R: one after the other, in one run.
RATIOS := start_and_read preprocess_cohort "analyze_problem --samples 371" "whole_benchmark --strata 3" \
	$(if $(INPUT),"solve_series $(INPUT) Rheumatoid_Arthritis GSE55457")
bench-all: $(READY_DEV)
	@for each in $(RATIOS); do echo "== $$each"; $(BIN)/python -m benchmarks $$each || exit 1; done

docs: $(READY_DOCS)
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) $(NOTEBOOK) $(INSPECT) demo site build dist

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV); }

$(READY): $(VENV)/bin/python pyproject.toml
	$(INSTALL) .
	touch $@

$(READY_DEV): $(VENV)/bin/python pyproject.toml
	$(INSTALL) '.[dev]'
	touch $(READY) $@

# An environment of its own: scanpy and the like decide about versions of NumPy.
$(NOTEBOOK)/.ready: pyproject.toml
	$(PYTHON) -m venv $(NOTEBOOK) || { rm -rf $(NOTEBOOK); $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(NOTEBOOK); }
	$(NOTEBOOK)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[notebook]' hypothesis pytest pytest-timeout pytest-xdist
	touch $@

# An environment of its own: Inspect AI brings a hundred packages that nothing else needs.
$(INSPECT)/.ready: pyproject.toml
	$(PYTHON) -m venv $(INSPECT) || { rm -rf $(INSPECT); $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(INSPECT); }
	$(INSPECT)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[inspect]' hypothesis pytest pytest-timeout pytest-xdist
	touch $@

$(READY_DOCS): $(VENV)/bin/python pyproject.toml
	$(INSTALL) '.[docs]'
	touch $(READY) $@
