# Telltale: every recipe sets up what it needs. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2

.PHONY: help setup demo test test-frameworks test-duckdb2 lint format types bench bench-peers-setup faults serve lock clean

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk 'BEGIN {FS = ":.*## "} {printf "  make %-16s %s\n", $$1, $$2}'

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Telltale needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up $(VENV) from requirements.lock (once; a minute or two)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -qq --no-deps --editable .
	@touch $@

setup: $(READY) ## make the environment and install the locked dependencies

demo: $(READY) ## collector, jobs and dashboard on an empty store, sample traces played in as live traffic
	@exec $(BIN)/telltale demo $(ARGS)

test: $(READY) ## all tests: real servers, a real database file, a real browser where Chromium is present
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not slow" $(ARGS)

test-frameworks: $(READY) ## the library inside each framework, every framework in its own locked environment
	@$(BIN)/python tests/frameworks/run.py $(ARGS)

test-duckdb2: $(READY) ## the store's tests on DuckDB 2.0 (the lock pins 1.5)
	@$(BIN)/python tests/store/run_on_duckdb2.py $(ARGS)

faults: $(READY) ## the long fault tests: kills, full disks, damaged files, soaks; prints their figures
	@$(BIN)/python -m pytest -m slow -s --timeout 3600 $(ARGS) tests

bench: $(READY) ## ingest, queries, judge and library overhead, measured side by side on this machine
	@$(BIN)/python -m benchmarks $(ARGS)

bench-peers-setup: ## environments for the peers that `make bench ARGS=peers` compares with, each below .venvs
	@for peer in phoenix:arize-phoenix==20.26.1 mlflow:mlflow==3.17.2; do folder=.venvs/$${peer%%:*}; \
		$(PYTHON) -m venv $$folder && $$folder/bin/python -m pip install -qq "$${peer#*:}" || exit 1; done

lint: $(READY) ## ruff, and the arrows between the rooms
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports

format: $(READY) ## let ruff format and fix what it can
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

types: $(READY) ## mypy, strict
	@$(BIN)/mypy

serve: $(READY) ## the service with its dashboard, on telltale.db
	@exec $(BIN)/telltale serve --dashboard $(ARGS)

lock: $(READY) ## renew requirements.lock from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --extra server --group dev --universal --generate-hashes --no-header \
		--no-emit-index-url --no-emit-find-links --python-version 3.11 --output-file requirements.lock

clean: ## remove environments, caches and builds
	@rm -rf .venv .venvs dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
