# `make demo` and `make test` each work alone on a machine with Python 3.11, pip, make and git.
# The environment lives in .venv and holds exactly what uv.lock says; uv is brought in where it is missing.

PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
BIN := .venv/bin

.PHONY: demo test test-others test-system test-registry real check format lint types layers workflows benchmark clean

demo: .venv/.runtime
	$(BIN)/python examples/demo.py

# Real processes on a busy machine miss a deadline now and then: such a test gets a second try, and says so.
PYTEST := $(BIN)/pytest --cov --cov-report= --reruns 1

REGISTRY := tests/system/registry_pages $(wildcard tests/system/test_registry_*.py)

# Tests with real processes wait most of the time: they run beside the others.
test: .venv/.development
	$(BIN)/coverage erase
	$(MAKE) --no-print-directory --output-sync=target -j3 test-others test-system test-registry
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --include='*/avow/core/*,*/avow/protocol/*' --fail-under=100 --skip-covered
	$(BIN)/coverage report --skip-covered

test-others:
	COVERAGE_FILE=.coverage.others $(PYTEST) --ignore=tests/system

test-system:
	COVERAGE_FILE=.coverage.system $(PYTEST) -p no:cacheprovider tests/system $(REGISTRY:%=--ignore=%)

test-registry:
	COVERAGE_FILE=.coverage.registry $(PYTEST) -p no:cacheprovider $(REGISTRY)

# With servers and clients from npm and PyPI, which takes minutes and needs both registries.
real: .venv/.development
	AVOW_REAL=1 $(BIN)/pytest -m real

check: format lint types layers workflows test

format: .venv/.development
	$(BIN)/ruff format --check

lint: .venv/.development
	$(BIN)/ruff check

types: .venv/.development
	$(BIN)/mypy

layers: .venv/.development
	$(BIN)/lint-imports

workflows: .venv/.development
	$(BIN)/zizmor --offline --no-progress .github action.yml

benchmark: .venv/.development
	for name in fingerprint growth startup check run gate_engine risk server_lists client_calls guard audit; do \
		echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

.venv/.runtime: uv.lock pyproject.toml | $(UV)
	$(UV) sync --quiet --locked --inexact --no-default-groups --python $(PYTHON)
	touch $@

.venv/.development: uv.lock pyproject.toml | $(UV)
	$(UV) sync --quiet --locked --python $(PYTHON)
	touch .venv/.runtime $@

.uv/bin/uv:
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip install --quiet --disable-pip-version-check uv

clean:
	rm -rf .venv .uv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* dist
