# make, make run   the window (without a display: headscope.png)
# make test        every test; those that need a display get one from xvfb-run
# make check       style, types, boundaries, and documents that are made from the code
# make bench       the ratios of docs/performance.md, measured on this machine
# make damage      files of every kind damaged by chance, a thousand of them: how each is refused
# make docs        docs/answers.md, docs/residuals.md and what the examples of the README print
# make screenshots the pictures of the README and of docs/panels.md
#
# The first call creates .venv and installs what constraints.txt pins; later ones reuse it.
# PYTHON=/path/to/python chooses the interpreter.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
export PYTHONNOUSERSITE := 1
# Empty is unset: each process of the tests would otherwise compile the tree for itself (8 s).
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test check bench damage docs screenshots clean
.DEFAULT_GOAL := run

run: $(VENV)/.run
	@$(BIN)/python main.py

test: $(VENV)/.dev
	@$(BIN)/python main.py --check-system
	@if command -v xvfb-run >/dev/null; then \
	    xvfb-run -a -s "-screen 0 1920x1200x24" $(BIN)/python -m pytest -m display tests/app; \
	elif [ -n "$$CI" ]; then \
	    echo "xvfb-run is missing: the tests that drive the real window need it" >&2; exit 1; \
	else \
	    echo "xvfb-run is missing: the tests that drive the real window are left out"; \
	fi
	@# Two processes and no more: each of them loads torch for itself. In the order of the
	@# folders: by number of tests the journeys, one a file, would come last and alone.
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder \
	    -m "not display"

check: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m docs.make_answers --check

bench: $(VENV)/.bench
	@$(BIN)/python -m benchmarks

damage: $(VENV)/.dev
	@$(BIN)/python -m benchmarks.damage --seed 1

docs: $(VENV)/.run
	@$(BIN)/python -m docs.make_answers
	@$(BIN)/python -m docs.make_residuals
	@$(BIN)/python -m docs.make_examples

screenshots: $(VENV)/.run
	@$(BIN)/python -m docs.make_screenshots

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(BIN)/python:
	@[ -n "$(PYTHON)" ] && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Headscope needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11" >&2; \
	    exit 1; }
	@$(PYTHON) -m venv $(VENV)

# torch alone is 200 MB, so each step says what it waits for.
$(VENV)/.run: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Headscope into $(VENV), once; this takes a few minutes"
	@$(PIP) setuptools
	@$(PIP) --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "Installing the tools that test and check it"
	@$(PIP) --no-build-isolation -e '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.run
	@echo "Installing what the benchmarks compare with"
	@$(PIP) --no-build-isolation -e '.[bench]'
	@touch $@
