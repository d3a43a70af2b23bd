# make demo: crawl the demo web.  make test: all tests.  Both set up .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.PHONY: setup demo test lint bench

$(VENV)/ready: pyproject.toml requirements-dev.lock
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

setup: $(VENV)/ready
