PORT ?= 8000
PYTHON := .venv/bin/python
PACKAGES := arena_site governance battles judging ratings metrics

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run test soak fuzz lint audit types layers migrations verify mutations check screenshots docs clean

help: ## Show what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Make .venv and install what running needs
	@bin/setup

setup-dev: ## The same with what the tests and checks need
	@bin/setup --dev

run: setup ## Start everything on http://127.0.0.1:8000 (PORT=8001 for another port)
	@$(PYTHON) manage.py up --port $(PORT)

test: setup-dev ## Run the tests, on two workers
	@$(PYTHON) -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

soak: setup-dev ## Run the long tests: whole arenas, kill runs, many seeds
	@$(PYTHON) -m pytest -m "soak or stack"

fuzz: setup-dev ## Ask a running server whatever its schema allows, for ten minutes (FUZZ_SECONDS=60 for one)
	@bin/on-a-fresh-database $(PYTHON) -m tests.arena_site.rest.fuzz --seconds $(or $(FUZZ_SECONDS),600)

lint: setup-dev ## Check style and format
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .

audit: setup-dev ## Look for keys in the tree and its history, and for known weaknesses of what is installed
	@bin/audit

types: setup-dev ## Check types
	@.venv/bin/mypy $(PACKAGES) manage.py

layers: setup-dev ## Check that imports point one way only
	@.venv/bin/lint-imports

migrations: setup-dev ## Check that the migrations say what the models say
	@bin/on-a-fresh-database $(PYTHON) manage.py makemigrations --check --dry-run

mutations: setup-dev ## Remove each mechanism in a scratch copy and see that its check notices
	@bin/mutations

verify: setup-dev ## Run every verify_* command on a fresh database
	@bin/on-a-fresh-database bin/verify

check: test lint audit types layers migrations verify ## Run the tests and all checks

screenshots: setup ## Take pictures of the pages
	@bin/screenshots

docs: setup-dev ## Write the generated pages of docs/
	@$(PYTHON) manage.py settings_table --write
	@$(PYTHON) manage.py measure_redaction --record
	@$(PYTHON) manage.py measures --reference > docs/measures.md
	@bin/on-a-fresh-database bash -c '$(PYTHON) manage.py migrate --verbosity 0 && $(PYTHON) manage.py verify_claims --write'

clean: ## Delete caches; data and .venv stay
	@find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache test-results
