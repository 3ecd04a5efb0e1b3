# `make` lists what can be made. Every target can be run again.
.DEFAULT_GOAL := help
SHELL := /bin/bash
NAME ?= host
TARGET := $(or $(CARGO_TARGET_DIR),target)
# One set of packages for every build: another set would compile the libraries once more.
BUILD := cargo build --workspace --bins --quiet
# The same for all that is tested and checked: features of tests change some of the libraries.
BUILD_TESTS := cargo build --workspace --all-targets --features tarsy-testkit/containers --quiet
PHASES := deploy/scripts/phases.sh
# The machine that a wheel is for: x86_64 or aarch64.
ARCH ?= $(shell uname -m)
WHEEL_FOLDER ?= dist
# Tests wait for servers more than they compute: twice as many at once as there are cores here.
export RUST_TEST_THREADS ?= 4

# Clippy is the compiler, and says more: what it checked is compiled. Without it the compiler alone makes the same programs.
ifndef RUSTC_WORKSPACE_WRAPPER
export RUSTC_WORKSPACE_WRAPPER := $(shell clippy-driver --version >/dev/null 2>&1 && echo clippy-driver)
endif

.PHONY: help setup setup-test setup-check dashboard run run-split submit test build-tests test-rust test-python test-dashboard test-deploy test-kubernetes book screenshots check check-rust check-rules check-python check-dashboard bench bench-lists bench-stored bench-masking bench-judgement fuzz chaos soak eval models-test gen audit sbom wheel version release images images-test release-schema doctor clean-data

help: ## Lists the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

setup: ## Installs everything that a run needs: embedded servers, llm-service, dashboard
	@deploy/scripts/setup.sh run

setup-test: ## Installs everything that the tests need, Chromium included
	@env -u MAKEFLAGS deploy/scripts/setup.sh test

dashboard: ## Builds the dashboard
	@deploy/scripts/setup.sh dashboard

run: setup ## Runs TARSy on this machine, and prints the address of its dashboard
	@echo "building tarsy (the first time takes minutes)"
	@$(BUILD)
	@exec $(TARGET)/debug/tarsy up

run-split: setup ## The same, every service a process of its own, two orchestrators
	@$(BUILD)
	@exec $(TARGET)/debug/tarsy up --split

submit: ## Submits an example alert and follows it: make submit NAME=host
	@$(BUILD)
	@$(TARGET)/debug/tarsy submit --example $(NAME) --follow

test: ## Runs every test, and says where the time went
	@$(PHASES) begin test
	@deploy/scripts/setup.sh toolchains
	@$(PHASES) time test "set-up and build" $(MAKE) --no-print-directory -j2 setup-test build-tests
	@echo "── test" && $(PHASES) time test "tests" $(TARGET)/debug/xtask test --target test-python --target test-dashboard --target test-deploy
	@$(PHASES) end test
	@echo "every test passed"

# Runs beside the set-up, which installs one package after the other and leaves a core idle. Neither shares the slots of `make -j`.
build-tests:
	@echo "── build" && env -u MAKEFLAGS $(BUILD_TESTS)

test-rust: ## Runs the tests in Rust: make test-rust [T=a_part_of_a_name]
	@$(BUILD_TESTS)
	@$(TARGET)/debug/xtask test $(T)

test-python:
	@echo "── llm-service: test" && cd llm-service && env -u PYTHONDONTWRITEBYTECODE ../.tarsy/venv-test/bin/python -m pytest
	@echo "── models-test: test" && cd tests/models && env -u PYTHONDONTWRITEBYTECODE ../../.tarsy/venv-test/bin/python -m pytest

test-dashboard:
	@echo "── dashboard: test" && cd dashboard && npm test --silent

test-deploy: ## Runs the tests of the chart, the overlays, Compose, rules, dashboards and the documentation: deploy/scripts/setup.sh deploy installs what they need
	@$(BUILD_TESTS)
	@echo "── deploy: test" && cd deploy/tests && env -u PYTHONDONTWRITEBYTECODE ../../.tarsy/venv-deploy/bin/python -m pytest -q

# The other tests of deploy/tests know no version but those of the schemas.
test-kubernetes: ## Runs the tests on a control plane of another version of Kubernetes: make test-kubernetes VERSION=1.36.3
	@deploy/scripts/setup.sh kubernetes "$(VERSION)"
	@$(BUILD_TESTS)
	@cd deploy/tests && TARSY_TEST_KUBERNETES="$(VERSION)" ../../.tarsy/venv-deploy/bin/python -m pytest -m cluster -v

book: ## Builds the documentation as a book into .tarsy/book
	@deploy/scripts/setup.sh deploy
	@.tarsy/venv-deploy/bin/mdbook build docs

# All tests that take pictures: what measures takes none.
screenshots: setup-test ## Takes pictures of every page into .tarsy/screenshots, and makes those of docs/images anew
	@$(BUILD_TESTS)
	@SCREENSHOT_DIR=$(CURDIR)/.tarsy/screenshots cargo test --quiet --workspace --features tarsy-testkit/containers --test it -- browser:: pages:: claims::what_a_model_invents command_line::two_commands
	@cp .tarsy/screenshots/finding.png docs/images/session.png

setup-check:
	@env -u MAKEFLAGS deploy/scripts/setup.sh check

check: ## Formats and lints everything, without changing it, and says where the time went
	@$(PHASES) begin check
	@deploy/scripts/setup.sh toolchains
	@$(PHASES) time check "set-up, rustfmt, clippy" $(MAKE) --no-print-directory -j2 setup-check check-rust
	@$(PHASES) time check "rules, dependencies, spelling, Python, TypeScript" $(MAKE) --no-print-directory -j3 --output-sync=target check-rules check-python check-dashboard
	@$(PHASES) end check
	@echo "every check passed"

check-rust:
	@echo "── rustfmt" && cargo fmt --all --check
	@echo "── clippy" && env -u MAKEFLAGS deploy/scripts/without_warnings.sh $(BUILD_TESTS)

check-rules:
	@echo "── tidy" && $(BUILD_TESTS) && $(TARGET)/debug/xtask tidy
	@echo "── cargo-deny, cargo-machete, typos"
	@.tarsy/tools/bin/cargo-deny --log-level error --locked check --hide-inclusion-graph bans licenses sources
	@.tarsy/tools/bin/cargo-machete > .tarsy/tools/machete.log || { cat .tarsy/tools/machete.log; exit 1; }
	@git ls-files -z | xargs -0 .tarsy/tools/typos/bin/typos --force-exclude

check-python:
	@echo "── ruff, pyright" && cd llm-service && ../.tarsy/venv-test/bin/ruff check . && ../.tarsy/venv-test/bin/ruff format --check . && ../.tarsy/venv-test/bin/pyright
	@cd deploy/tests && ../../.tarsy/venv-test/bin/ruff check . && ../../.tarsy/venv-test/bin/ruff format --check .
	@cd tests/models && ../../.tarsy/venv-test/bin/ruff check . && ../../.tarsy/venv-test/bin/ruff format --check .

check-dashboard:
	@echo "── oxlint, prettier" && cd dashboard && npm run --silent lint && npm run --silent format

release-schema: setup ## Records the database, the API and the chart of a release for the tests of upgrades: make release-schema NAME=1.2.3
	@deploy/scripts/setup.sh release
	python3 deploy/scripts/release_schema.py $(NAME)
	@.tarsy/kube/helm package deploy/helm/tarsy --version $(NAME) --app-version $(NAME) --destination deploy/tests/charts

bench: setup ## Measures the product beside the raw primitives
	@echo "building the release (the first time takes many minutes)"
	@$(BUILD) --release
	@$(TARGET)/release/tarsy-bench

bench-lists: setup ## Measures lists, search and overview with a million sessions; needs 8 GB of disk
	@cargo build --release --quiet -p tarsy-bench
	@$(TARGET)/release/tarsy-bench lists

bench-stored: setup ## Measures what sessions cost with none and a million stored; needs 8 GB of disk
	@$(BUILD) --release
	@$(TARGET)/release/tarsy-bench stored

bench-masking: ## Measures the masker alone, beside a plain loop over its rules, and on its worst inputs
	@cargo build --release --quiet -p tarsy-bench
	@$(TARGET)/release/tarsy-bench masking
	@cargo run --release --quiet -p tarsy-masking --example speed

bench-judgement: ## Measures what judging a tool call by its arguments adds to it
	@cargo run --release --quiet -p tarsy-effects --example judgement_speed

fuzz: ## Feeds the masker with truncated and mixed texts: make fuzz MINUTES=10
	@cargo run --release --quiet -p tarsy-masking --example fuzz -- $(or $(MINUTES),1) $(SEED)

chaos: setup-test ## Lets services, servers, connections and clocks fail during sessions: make chaos N=40 [SEED=…]
	@$(BUILD)
	@$(TARGET)/debug/tarsy-chaos $(or $(N),40) $(SEED)

soak: setup-test ## Prints memory and descriptors of every process under load and faults: make soak MINUTES=30 [SEED=…]
	@$(BUILD)
	@$(TARGET)/debug/tarsy-soak $(or $(MINUTES),30) $(SEED)

eval: setup ## Runs the cases of tests/cases on a TARSy of its own: make eval [PROVIDER=…] [RUNS=5] [CASES=folder]
	@$(BUILD)
	@deploy/scripts/eval.sh $(TARGET)/debug/tarsy $(or $(CASES),tests/cases) $(or $(PROVIDER),offline) $(or $(RUNS),1)

# One session after the other, each some minutes: docs/local-models.md. It uses what other programs leave of the processors.
models-test: ## Investigates with small models on a real llama.cpp server: make models-test [MODEL=0.5b] [STRATEGY=native,react,messages] [CASES=host,…] [RULES=off,on] [MODELS=folder with weights] [TEMPLATE=own] [RECORD=folder] [TABLE=1]
	@deploy/scripts/setup.sh models
	@$(BUILD)
	@PYTHONPATH=tests/models nice -n 10 .tarsy/venv-models/bin/python -m models_test --tarsy $(TARGET)/debug/tarsy \
		--model "$(MODEL)" --strategy "$(STRATEGY)" --cases "$(CASES)" --rules "$(RULES)" --weights "$(MODELS)" \
		--template $(or $(TEMPLATE),fenced) --record "$(RECORD)" $(if $(TABLE),--table)

gen: ## Generates the code of proto/ and the tables of docs/configuration.md
	@cargo xtask gen
	@cargo run --quiet -p tarsy-catalog --example reference
	@cd llm-service && PYTHON=../.tarsy/venv-test/bin/python scripts/gen.sh

audit: ## Looks for known vulnerabilities in the lock files: crates, npm, PyPI
	@deploy/scripts/setup.sh audit
	@python3 deploy/scripts/audit.py

sbom: ## Writes the software bills of materials (CycloneDX) into sbom/
	@deploy/scripts/setup.sh sbom
	@deploy/scripts/sbom.sh

# zig links against the oldest glibc that the wheels of the embedded servers need, and for other machines than this one.
wheel: setup ## Writes a wheel into dist/, which pipx installs without a compiler, and the hashes of all that it needs: make wheel [ARCH=aarch64]
	@deploy/scripts/setup.sh wheel
	@echo "building the release for $(ARCH) (the first time takes many minutes)"
	@PATH=$(CURDIR)/.tarsy/venv-wheel/bin:$$PATH cargo zigbuild --workspace --bin tarsy --quiet --locked --release --target $(ARCH)-unknown-linux-gnu.2.28
	@python3 deploy/scripts/wheel.py $(TARGET)/$(ARCH)-unknown-linux-gnu/release/tarsy --folder $(WHEEL_FOLDER)

version: ## Prints the version in every file that has it, or sets it: make version [VERSION=1.2.3]
	@python3 deploy/scripts/versions.py $(if $(VERSION),set $(VERSION))

release: ## Makes everything of a release in dist/ and prints how to publish it: make release VERSION=1.2.3 [ARCHITECTURES="x86_64 aarch64"]
	@deploy/scripts/setup.sh release
	@python3 deploy/scripts/release.py "$(VERSION)" $(if $(ARCHITECTURES),--architectures $(ARCHITECTURES))

images: ## Builds the images with buildah, as root: make images [BASES=registry] [PROFILE=debug]
	@deploy/scripts/images.sh build

images-test: ## Starts every service from the images of `make images`, and investigates the example alert
	@deploy/scripts/images.sh test

doctor: ## Reports what is missing on this machine
	@deploy/scripts/setup.sh toolchains
	@$(BUILD)
	@$(TARGET)/debug/tarsy doctor

clean-data: ## Deletes all sessions of the all-in-one on this machine
	rm -rf .tarsy/postgres .tarsy/nats .tarsy/logs .tarsy/run.json .tarsy/local.token
