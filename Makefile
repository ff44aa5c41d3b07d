# The longer runs. What a commit needs is `go test ./...`; what lands runs .ci/run.

SHARED   := $(or $(NIRC_SHARED),../shared)
CORPUS   ?= $(SHARED)/corpus
BASELINE ?= $(wildcard $(SHARED)/baseline/*.tsv)
REAL     ?=
# A folder of .spv files for each family of shaders, for their code's size and cycles.
FAMILIES ?=
SCALE    ?= 1
TARGETS  ?= ir3 agx midgard
TIME     ?= 1m
SEED     ?= $(shell date +%s)
FUZZ     ?=
MUTANTS  ?= 300
PACKAGES ?=
PREFIX   ?= /usr/local
# Of clspv's scripts one reads and writes beyond its buffers: 33 invocations for 17 elements.
CLSPV  := $(filter-out %/ctz_short.amber,$(wildcard $(CORPUS)/google+clspv/amber/*/*.amber))
AMBER  := $(CORPUS)/KhronosGroup+VK-GL-CTS $(CORPUS)/google+amber $(CLSPV)

.PHONY: all install test obligations conformance fuzz mangle mutants bench generate release release-test

all:
	CGO_ENABLED=0 go build -o nirc ./cmd/nirc

# The program, its manual and its completions below PREFIX; DESTDIR goes before it, as packagers want it.
install:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o build/nirc ./cmd/nirc
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions"
	install -m 755 build/nirc "$(DESTDIR)$(PREFIX)/bin/nirc"
	install -m 644 docs/cli/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	build/nirc completion bash >"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/nirc"
	build/nirc completion fish >"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/nirc.fish"
	build/nirc completion zsh >"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_nirc"

# A release of this commit in dist/; nothing is published.
release:
	.ci/release

# Two releases of this commit, in two places: the same bytes; then the programs are run, under qemu and wine where they are installed.
release-test:
	.ci/release-test

test:
	go test ./...

# What hardware leaves to each target's compiler (docs/isa): how many rows, how many of them a fault switch shows, and by what the others are held.
obligations:
	@out=$$(go test -count 1 -v -run '^TestObligations$$' $(TARGETS:%=./backend/%)) || { echo "$$out"; exit 1; }; \
	echo "$$out" | sed -n 's/^ *[a-z_]*\.go:[0-9]*: \(obligations of\)/\1/p'

# Khronos' amber scripts on the interpreter and on each core; fails on any FAIL.
conformance: all
	@if [ -d "$(CORPUS)" ]; then \
	  for t in ir $(TARGETS); do echo "$$t:"; ./nirc amber -t $$t -j 2 $(AMBER) >amber-$$t.log || { grep ^FAIL amber-$$t.log; exit 1; }; tail -1 amber-$$t.log; done; \
	else echo "skipped: no corpus at $(CORPUS)"; fi

# Go's fuzzer on every target, TIME each; FUZZ is a part of the names of those that are wanted. What it finds
# is in that package's testdata/fuzz, which go test replays.
fuzz:
	.ci/fuzz "$(TIME)" "$(FUZZ)"

# Inputs that are nearly right, TIME for each test, from a seed that is printed.
mangle:
	@echo "SEED=$(SEED)"
	NIRC_MANGLE=$(TIME),$(SEED) go test -timeout 0 -count 1 -p 1 -v -run '^TestMangled' . ./cmd/nirc ./cache/... ./internal/...

# MUTANTS changes of the compiler, each by itself: does a test notice? SEED is printed, PACKAGES are those that are changed.
mutants:
	@echo "SEED=$(SEED)"
	go run ./internal/mutants -n $(MUTANTS) -seed $(SEED) $(PACKAGES)

# The tables of each target. REAL is a directory of real shaders; with it, compile times are compared with BASELINE, and it is told
# which steps take them.
bench:
	@if [ -d "$(FAMILIES)" ]; then for t in $(TARGETS); do go run ./internal/bench -t $$t -families "$(FAMILIES)" || exit 1; done; fi
	@bad=0; for t in $(TARGETS); do go run ./internal/bench -t $$t || bad=1; done; \
	if [ -d "$(REAL)" ]; then for b in $(BASELINE); do go run ./internal/bench -max 1 -generated=false -baseline $$b -real "$(REAL)" -scale $(SCALE) || bad=1; done; \
	else echo "no comparison: REAL names no directory of real shaders"; fi; exit $$bad

generate:
	go generate ./...
