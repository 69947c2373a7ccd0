# Every target makes its own .venv; a machine needs python3 (3.11 or newer) and pip, no more.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready-dev
READY_DOCS := $(VENV)/.ready-docs

.PHONY: demo test lint format bench bench-analysis bench-evaluation bench-whole docs clean

demo: $(READY)
	$(BIN)/genotex demo demo

test: $(READY)
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff format --check src tests scripts benchmarks
	$(BIN)/ruff check src tests scripts benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format src tests scripts benchmarks
	$(BIN)/ruff check --fix src tests scripts benchmarks

bench: $(READY)
	$(BIN)/python benchmarks/preprocess_cohort.py

bench-analysis: $(READY)
	$(BIN)/python benchmarks/analyze_problem.py

bench-evaluation: $(READY)
	$(BIN)/python benchmarks/evaluate_tables.py

bench-whole: $(READY)
	$(BIN)/python benchmarks/whole_benchmark.py

docs: $(READY_DOCS)
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) demo site build dist

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV); }

$(READY): $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

$(READY_DOCS): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@
