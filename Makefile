# `make demo` and `make test` are all a person needs; both make the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= demo
ROOMS := records grades store ingest index contracts backtest workspace cli
WORKERS ?= 2

.PHONY: demo test lint types unit clean

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

clean:
	rm -rf build $(VENV) *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
