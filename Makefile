# Every target wraps plain go commands; `make demo` and `make test` are all that a newcomer needs.
.PHONY: demo test bench lint generate build browser browsers frameworks clean

GO ?= go

# The demo: a real task in a real browser, in the sample shop, without a key or a network.
demo: build browser
	bin/wb demo

build: generate
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/wb ./cmd/wb

# The page script and the built-in plugins: embedded, never committed.
generate: extension/dist/page.js plugins/dist/builtins.wasm.zst

extension/dist/page.js: $(wildcard extension/src/page/*.ts) $(wildcard extension/build/*.go)
	$(GO) run ./extension/build

plugins/dist/builtins.wasm.zst: $(shell find plugins/builtin plugins/sdk plugins/build plugins/wasmguard -name '*.go' -o -name grants.json)
	$(GO) run ./plugins/build

# Small apps from the packages people build pages with, for tests of actions.
frameworks: testdata/frameworks/dist/react.html

testdata/frameworks/dist/react.html: testdata/frameworks/package-lock.json testdata/frameworks/build.mjs $(wildcard testdata/frameworks/src/*)
	@command -v npm >/dev/null || { echo "npm is needed to build testdata/frameworks (Debian: apt install nodejs npm)"; exit 1; }
	cd testdata/frameworks && npm ci --ignore-scripts --silent && node build.mjs

test: generate browsers frameworks
	$(GO) test -timeout 30m ./...

bench: build browsers
	$(GO) run ./testdata/bench

lint: generate
	test -z "$$(gofmt -l cmd kernel ports plugins extension testdata)" || { gofmt -l cmd kernel ports plugins extension testdata; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@if command -v npm >/dev/null; then npm exec --yes --package=typescript@7.0.2 -- tsc -p extension; else echo "no npm: TypeScript is not type-checked"; fi

# Finds a Chromium, or installs Debian's.
browser:
	@$(GO) run ./testdata/browser

# And a Firefox, for the tests.
browsers:
	@$(GO) run ./testdata/browser -all

clean:
	rm -rf bin extension/dist/page.js plugins/dist/builtins.wasm.zst
