# `make demo` and `make test` are all a person needs; both make the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= demo
ROOMS := records grades store ingest index contracts backtest workspace cli
WORKERS ?= 2

.PHONY: demo test lint types unit bench proof clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test,postgres]'
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
	$(BIN)/pytest -n $(WORKERS) --dist loadfile

# Long measurements: ratios beside named baselines (build/bench.json) and proofs whose dated results stand in docs/.
bench: $(VENV)/.installed
	$(BIN)/python bench/full_build.py --rows 1000000 --repeat 3
	$(BIN)/python bench/names.py docs/names.md
	$(BIN)/python bench/paths.py docs/bench-paths.md
	$(BIN)/python bench/ingest.py

proof: $(VENV)/.installed
	$(BIN)/python proof/coverage.py
	$(BIN)/python proof/recovery.py
	$(BIN)/python proof/conservation.py --histories 10000
	$(BIN)/python proof/fuzz_feeds.py
	$(BIN)/python proof/kill_ingest.py

clean:
	rm -rf build $(VENV) *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
