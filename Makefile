# `make demo` shows Bouncer at work, `make test` tests it. Both set up what they need in .venv; a second run is instant.

.SILENT:
.DELETE_ON_ERROR:
.PHONY: help demo test pytest test-postgresql test-model lint style types fmt chaos hostile image-proof docs pictures lock clean

SHELL := /bin/bash
export PYTHON
unexport PYTHONDONTWRITEBYTECODE # every process that is started would compile all of Bouncer again
export PATH := $(CURDIR)/.venv/bin:$(PATH)

help:
	sed -n 's/^## //p' $(MAKEFILE_LIST)

## make demo      set up Bouncer and show it at work on this machine
demo: .venv/.run
	bouncer demo

# More processes than processors: while a test waits for another program, others go on.
PARALLEL = --numprocesses $$(($$(nproc) * 2)) --dist loadfile --no-loadscope-reorder

## make test      set up everything and run every check and test
test: style
	$(MAKE) --no-print-directory --jobs 2 types pytest

pytest: .venv/.test
	pytest $(PARALLEL)

## make test-postgresql   every test that needs a database, on PostgreSQL (make test: on SQLite, and a part on both)
test-postgresql: .venv/.test
	BOUNCER_TEST_DATABASE=postgresql pytest -m database $(PARALLEL)

## make test-model   whole answers of a real model server, llama.cpp with a small model (make test: its limits)
test-model: .venv/.test
	pytest tests/local_model/test_limits.py tests/local_model/nightly.py

## make lint      ruff, mypy, import rules, ceilings (python -m lab.ceilings), and zizmor on the workflows
lint: style types

style: .venv/.test
	ruff check
	ruff format --check --quiet
	zizmor --offline --quiet .github action.yml deploy/action/*.yml

types: .venv/.test
	python -m lab.ceilings
	mypy
	lint-imports --no-logo > .venv/imports.log || { cat .venv/imports.log; false; }

## make fmt       format and sort imports
fmt: .venv/.test
	ruff check --fix
	ruff format

## make chaos     the long run of the crash tests, and ten minutes of random faults
chaos: .venv/.test
	BOUNCER_CHAOS=long pytest -m crash
	python -m lab.benchmarks.chaos $(ARGS)

## make hostile   every trick to be merged though a test breaks, and every program that wants out or to pass, for real
HOSTILE = $$(grep --recursive --files-with-matches --word-regexp --include='test_*.py' EVERY_TRICK tests)
hostile: .venv/.test
	BOUNCER_HOSTILE=all pytest $(HOSTILE) --numprocesses $$(nproc)
	python -m tests.hostile_pulls.coverage

## make image-proof   build the image without a registry, and judge a pull request in it (root, podman, mmdebstrap)
image-proof: .venv/.test
	python -m tests.packaging.image_proof

## make bench-X   run lab/benchmarks/X.py with $(ARGS) and print its figures with the machine
bench-%: .venv/.test
	python -m lab.benchmarks.$* $(ARGS)

## make docs      write the tables of docs/ and BENCHMARKS.md, and the policy's JSON Schema, anew
docs: .venv/.test
	python -m tests.docs.tables
	python -m lab.benchmark_tables

## make pictures  take the README's pictures anew from the running demo
pictures: .venv/.test
	python -m tests.docs.pictures

## make lock      write constraints.txt anew from pyproject.toml
lock: .venv/.test
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--no-annotate --no-header --upgrade --quiet --output-file constraints.txt

clean:
	rm -rf .venv .cache build dist

.venv/.run: pyproject.toml constraints.txt scripts/setup
	scripts/setup run

.venv/.test: pyproject.toml constraints.txt scripts/setup
	scripts/setup test
