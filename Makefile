# Everything a person or CI runs. Each target does all of its own set-up in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := CMakeLists.txt pyproject.toml $(wildcard cpp/*)

# How long `make fuzz` tries.
SECONDS ?= 600

# What bench-auto compares, and where its rows are kept.
AUTO_ROWS := results/auto/rows.csv
AUTO = $(BIN)/python benchmarks/bench_auto.py --jobs 2 --rows $(AUTO_ROWS)
RIVALS := auc pfi sts forward cegb "cegb forest" auto

# Which design `make study` runs, and where its results go.
DESIGN ?= smoke
STORE ?= $(DESIGN).sqlite
# What is kept of it in the repository: where there is no store, the run goes on from that.
KEPT := results/$(DESIGN)/store.xz

SUITE = $(BIN)/python benchmarks/bench_suite.py --jobs 2

.PHONY: help demo test test-slow fuzz faults lint format stub docs dist bench bench-auto bench-suite bench-regression bench-cluster bench-scale bench-parts bench-total-cost bench-final sanitize study study-keep clean

help:
	@echo "make demo      the whole job on a built-in data set, in about a minute"
	@echo "make test      build, install and run the quick tests"
	@echo "make test-slow run the others: a browser, a cluster, killed processes, statistics"
	@echo "make fuzz      random command lines and calls, 600 seconds of them: make fuzz SECONDS=3600"
	@echo "make faults    30 kills, 10 full disks, 10 dead workers and 50 flipped bytes: what is left is right, or one line"
	@echo "make lint      formatting, lint and types"
	@echo "make docs      the documentation site, into docs/_build/html; examples are run"
	@echo "make dist      sdist, and wheels for every Python that is here, each tried in an empty environment"
	@echo "make bench     speed against scikit-learn, YDF and (if installed) ranger"
	@echo "make bench-auto  auto against its rivals, and how honest its errors are: takes hours, goes on where it was"
	@echo "make bench-suite  auto against its rivals on 51 sets of a suite: hours, goes on where it was"
	@echo "make bench-regression  auto against its rivals where numbers are predicted: fifteen sets"
	@echo "make bench-cluster  a comparison on one and on two workers of a Dask cluster: minutes"
	@echo "make bench-scale 10,000 features; one forest on 100,000 and on 1,000,000 rows, against scikit-learn, LightGBM and YDF; whole runs: two hours"
	@echo "make bench-parts  a search on part of the rows against one on all of them: hours, goes on where it was"
	@echo "make bench-final  forest, linear model and their mean on the same bought features: goes on where it was"
	@echo "make bench-total-cost  price of measurements plus cost of errors, against others: goes on where it was"
	@echo "make sanitize  the core under the address, undefined-behaviour and thread sanitizers"
	@echo "make study     run or continue a design of the simulation study: make study DESIGN=paper-artificial"
	@echo "make study-keep  what a store has, as one small file from which make study goes on: make study-keep DESIGN=paper-artificial"
	@echo "make stub      regenerate the stub of the compiled module"
	@echo "make format    format the Python sources"

# A file below .venv stands for "this was installed"; it is older than what it was made from if that changed.
$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

$(VENV)/.package: $(VENV)/.created $(CORE)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.%-tools: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --group $*
	touch $@

demo: $(VENV)/.package
	$(BIN)/frugalforest demo

test: $(VENV)/.package $(VENV)/.test-tools
	$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: $(VENV)/.package $(VENV)/.test-tools
	$(BIN)/python -m pytest -n auto -m slow

fuzz: $(VENV)/.package $(VENV)/.test-tools
	$(BIN)/python tests/fuzz/run.py --seconds $(SECONDS)

faults: $(VENV)/.package $(VENV)/.test-tools
	$(BIN)/python tests/faults/harm_runs.py

# With the test tools, so that mypy sees the optional packages whether or not tests ran before.
lint: $(VENV)/.package $(VENV)/.lint-tools $(VENV)/.test-tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.lint-tools
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

stub: $(VENV)/.package $(VENV)/.test-tools
	$(BIN)/python -m nanobind.stubgen -m frugalforest._core -o src/frugalforest/_core.pyi

# A warning is an error: a dead reference or an example that fails must not go unnoticed.
docs: $(VENV)/.package $(VENV)/.docs-tools
	$(BIN)/python -m sphinx -b html -W --keep-going docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# Wheels are built from the sdist, so that lacks nothing, for every interpreter that is here.
dist: $(VENV)/.dist-tools
	rm -rf dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/packages/build.py dist
	$(BIN)/abi3audit --strict dist/*abi3*.whl
	$(BIN)/python tests/packages/check.py dist

bench: $(VENV)/.package $(VENV)/.bench-tools
	$(BIN)/python benchmarks/bench_engine.py
	$(BIN)/python benchmarks/bench_selection.py --full

bench-auto: $(VENV)/.package $(VENV)/.bench-tools
	$(AUTO) --problems A B C D --first 41 --draws 50 --methods $(RIVALS)
	$(AUTO) --problems real families later --first 21 --draws 25 --methods $(RIVALS)
	$(BIN)/python benchmarks/bench_honesty.py --first 301 --jobs 2 --rows results/auto/honesty-final.csv
	$(BIN)/python benchmarks/plot_auto.py $(AUTO_ROWS) docs/auto.png

bench-suite: $(VENV)/.package $(VENV)/.bench-tools $(VENV)/.suite-tools
	$(SUITE) --half settle
	$(SUITE) --half report
	$(BIN)/python benchmarks/bench_ways.py --rows results/ways/rows.csv
	$(BIN)/python benchmarks/plot_suite.py results/suite/rows.csv docs/suite.png

bench-regression: $(VENV)/.package $(VENV)/.suite-tools
	$(BIN)/python benchmarks/bench_regression.py

bench-cluster: $(VENV)/.package $(VENV)/.test-tools
	$(BIN)/python benchmarks/bench_cluster.py

bench-scale: $(VENV)/.package $(VENV)/.bench-tools
	$(BIN)/python benchmarks/bench_features.py
	$(BIN)/python benchmarks/bench_growth.py
	$(BIN)/python benchmarks/bench_scale.py
	$(BIN)/python benchmarks/bench_scale.py --runs

bench-parts: $(VENV)/.package $(VENV)/.bench-tools
	$(BIN)/python benchmarks/bench_parts.py --jobs 2 --rows results/parts/rows.csv

bench-total-cost: $(VENV)/.package $(VENV)/.bench-tools
	$(BIN)/python benchmarks/bench_total_cost.py --rows results/total_cost/rows.csv

bench-final: $(VENV)/.package $(VENV)/.bench-tools
	$(BIN)/python benchmarks/bench_final.py --draws 7 --jobs 2 --rows results/final/rows.csv

sanitize: $(VENV)/.package $(VENV)/.test-tools
	PYTHON=$(CURDIR)/$(BIN)/python bash tests/sanitize/run.sh

study: $(VENV)/.package
	test -e $(STORE) -o ! -e $(KEPT) || $(BIN)/python benchmarks/kept_study.py unpack $(KEPT) $(STORE)
	$(BIN)/frugalforest study run $(DESIGN) --store $(STORE) --jobs 2
	$(BIN)/frugalforest study status $(DESIGN) --store $(STORE)

study-keep: $(VENV)/.package
	$(BIN)/python benchmarks/kept_study.py pack $(STORE) $(KEPT)

clean:
	rm -rf $(VENV) build dist docs/_build docs/gallery docs/generated
