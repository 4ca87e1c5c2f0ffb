# The front door. Every target installs what it lacks (tools/setup.sh; HABITAT_SETUP=no installs
# nothing), says what it does, and is quick the second time. The build itself is CMake's: see CMakeLists.txt.
BUILD ?= build
CMAKE_FLAGS ?=
.DEFAULT_GOAL := all
.PHONY: all help demo test test-torch alloc bench eval models fuzz mutate doc install deb deb-test wheel wheel-test clean

all: ## build the library and the command line into build/
	@tools/setup.sh build
	@tools/build.sh "$(BUILD)" $(CMAKE_FLAGS)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: all ## predict real recordings onto other GPUs
	@tools/demo.sh "$(BUILD)"

test: ## everything CI runs: builds, sanitizers, lint, C, Python and documentation tests
	@tools/run_tests.sh

test-torch: ## the Python tests with another PyTorch: make test-torch VERSION=2.15.0
	@tools/setup.sh build
	@tools/test_torch.sh "$(VERSION)"

alloc: ## every allocation of every command fails once: minutes
	@tools/setup.sh build test
	@tools/alloc.sh

bench: all ## speed: reading, predicting, start-up, with ratios
	@tools/setup.sh build
	@bench/run.sh "$(BUILD)"

eval: all ## regenerate docs/accuracy.md and every other page of figures; trains models: minutes
	@tools/evaluate.sh "$(BUILD)"

models: all ## retrain every shipped model from named inputs
	@tools/setup.sh build
	@tools/train_models.sh "$(BUILD)"

FUZZ_SECONDS ?= 600
fuzz: ## run every fuzz target for FUZZ_SECONDS
	@tools/setup.sh build test
	@tools/fuzz.sh $(FUZZ_SECONDS)

MUTATE ?=
mutate: ## which small changes of the sources does no test notice? (an hour; MUTATE="named" or a range does part)
	@tools/setup.sh build test
	@tools/mutate.py $(MUTATE)

doc: ## the C API reference, from the headers: build-doc/html
	@tools/setup.sh doc
	@tools/doc.sh build-doc

PREFIX ?= /usr/local
install: ## install below PREFIX (default /usr/local; DESTDIR is honoured)
	@tools/setup.sh man
	@$(MAKE) --no-print-directory all
	@cmake --install "$(BUILD)" --prefix "$(PREFIX)"

deb: ## a Debian package, into dist/
	@tools/setup.sh build man deb
	@tools/deb.sh dist

deb-test: deb ## .. installed, used and removed in a bare Debian: a minute, as root
	@tools/setup.sh roots
	@tests/deb.sh dist/habitat_*.deb

wheel: ## a wheel that needs no compiler and no library of the system, and the sdist, into dist/
	@tools/setup.sh build man wheel
	@tools/wheel.sh dist

wheel-test: wheel ## .. used where there is only Python, and the sdist away from here: minutes, as root
	@tools/setup.sh roots
	@tests/wheel.sh dist

clean: ## delete build trees and packages
	rm -rf build build-* dist
