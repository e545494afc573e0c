# `make demo` and `make test` are all a person needs; both make the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= demo
ROOMS := records drawing grades store ingest index contracts backtest workspace dashboard cli
WORKERS ?= 2
BENCH_ROWS ?= 1000000 10000000
BENCH ?=

.PHONY: demo test lint types unit docs bench versions proof soak screenshots clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test,postgres,dashboard,spark]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/rentmark demo $(DEMO)

test: lint types unit

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Type checkers can't follow the editable finder: the rooms are linked under one namespace folder.
types: $(VENV)/.installed
	mkdir -p build/types/rentmark
	for room in $(ROOMS); do ln -sfn ../../../$$room build/types/rentmark/$$room; done
	MYPYPATH=build/types $(BIN)/mypy build/types/rentmark

unit: $(VENV)/.installed
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The documentation as a site in build/site, with a reference from docstrings; a warning is an error.
docs: $(VENV)/.installed
	$(BIN)/python proof/site.py

# Everything that is fast or slow, beside what anyone can install: docs/benchmarks.md and build/bench.json (bench/all.py).
# BENCH_ROWS='1000000' takes less, BENCH='--only panel --resume' a part.
bench: $(VENV)/.bench
	$(BIN)/python bench/all.py --rows $(BENCH_ROWS) $(BENCH)

$(VENV)/.bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	touch $@

# The lowest versions that pyproject.toml declares, the latest, and newer Pythons (docs/versions.md).
versions: $(VENV)/.installed
	$(BIN)/python proof/versions.py

# Proofs whose dated results stand in docs/.
proof: $(VENV)/.installed
	$(BIN)/python proof/coverage.py
	$(BIN)/python proof/breaks_size.py
	$(BIN)/python proof/recovery.py
	$(BIN)/python proof/conservation.py --histories 10000
	$(BIN)/python proof/fuzz_feeds.py
	$(BIN)/python proof/kill_ingest.py
	$(BIN)/python proof/engines.py

# A year of simulated days with faults, on both databases (docs/soak.md).
soak: $(VENV)/.installed
	$(BIN)/python proof/soak.py

# Every page of the dashboard in light, dark and phone width, to be looked at.
screenshots: $(VENV)/.installed
	$(BIN)/python proof/screenshots.py build/screenshots

clean:
	rm -rf build $(VENV) *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
