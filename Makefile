# make demo: crawl the demo web.  make test: all tests.  Each sets up .venv first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2
DEMO ?= demo
MINUTES ?= 20
.PHONY: setup demo test lint bench fuzz kills hadoop hadoop-stop soak clean

setup: $(VENV)/ready

$(VENV)/ready: pyproject.toml requirements-dev.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: setup
	$(BIN)/python -m tests.web.demo $(DEMO)

test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --cov --cov-report=term:skip-covered

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python benchmarks/optimizer.py
	$(BIN)/python benchmarks/frontier.py
	$(BIN)/python benchmarks/hostile.py

fuzz: setup
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

kills: setup
	$(BIN)/python benchmarks/kills.py 25
	$(BIN)/python benchmarks/kills_hadoop.py 5

hadoop: setup
	$(BIN)/python tests/hadoop/cluster.py start .hadoop

hadoop-stop: setup
	$(BIN)/python tests/hadoop/cluster.py stop .hadoop

soak: setup
	$(BIN)/python benchmarks/soak.py

clean:
	rm -rf $(VENV) demo .hadoop
