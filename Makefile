# The longer runs. What a commit needs is `go test ./...`; what lands runs .ci/run.

CORPUS ?= $(or $(NIRC_SHARED),../shared)/corpus
AMBER  := $(CORPUS)/KhronosGroup+VK-GL-CTS $(CORPUS)/google+amber

.PHONY: all test conformance bench generate

all:
	go build -o nirc ./cmd/nirc

test:
	go test ./...

# Khronos' amber scripts on the interpreter and on the ir3 core.
conformance: all
	@if [ -d "$(CORPUS)" ]; then \
	  ./nirc amber -t ir -j 2 $(AMBER) | tail -1 && ./nirc amber -t ir3 -j 2 $(AMBER) | tail -1; \
	else echo "skipped: no corpus at $(CORPUS)"; fi

bench:
	go run ./internal/bench

generate:
	go generate ./...
