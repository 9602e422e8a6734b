# Every target wraps plain go commands; `make demo` and `make test` are all that a newcomer needs.
.PHONY: demo test bench lint lint-extension panel generate build panel browser browsers frameworks clean

GO ?= go

# The demo: a real task in a real browser, in the sample shop, without a key or a network.
demo: build browser
	bin/wb demo

build: generate
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/wb ./cmd/wb

# The page script and the built-in plugins: embedded, never committed.
generate: extension/dist/page.js plugins/dist/builtins.wasm.zst

extension/dist/page.js: $(shell find extension/src -name '*.ts' -not -path '*/panel/*' -not -path '*/settings/*') $(wildcard extension/build/*.go) extension/manifest.json
	$(GO) run ./extension/build

# The side panel, which is made of packages from npm; without it everything else is built all the same.
panel: extension/dist/panel.js

extension/dist/panel.js: extension/node_modules/.package-lock.json $(shell find extension/src/panel extension/src/settings extension/src/shared -type f) $(wildcard extension/build/*.go)
	$(GO) run ./extension/build

extension/node_modules/.package-lock.json: extension/package-lock.json
	@command -v npm >/dev/null || { echo "npm is needed to build the side panel (Debian: apt install nodejs npm)"; exit 1; }
	cd extension && npm ci --ignore-scripts --no-audit --no-fund --silent && touch node_modules/.package-lock.json

plugins/dist/builtins.wasm.zst: $(shell find plugins/builtin plugins/sdk plugins/build plugins/wasmguard -name '*.go' -o -name grants.json)
	$(GO) run ./plugins/build

# Small apps from the packages people build pages with, for tests of actions.
frameworks: testdata/frameworks/dist/react.html

testdata/frameworks/dist/react.html: testdata/frameworks/package-lock.json testdata/frameworks/build.mjs $(wildcard testdata/frameworks/src/*)
	@command -v npm >/dev/null || { echo "npm is needed to build testdata/frameworks (Debian: apt install nodejs npm)"; exit 1; }
	cd testdata/frameworks && npm ci --ignore-scripts --silent && node build.mjs

test: generate panel browsers frameworks
	$(GO) test -timeout 30m ./...

bench: build browsers
	$(GO) run ./testdata/bench

lint: generate
	test -z "$$(gofmt -l cmd kernel ports plugins extension testdata)" || { gofmt -l cmd kernel ports plugins extension testdata; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@if command -v npm >/dev/null; then $(MAKE) -s lint-extension; else echo "no npm: TypeScript is not type-checked"; fi

# What needs npm: the types, and what browsers' stores check (web-ext lint runs the same linter).
lint-extension: generate panel
	npm exec --yes --package=typescript@7.0.2 -- tsc -p extension
	dir=$$(mktemp -d) && $(GO) run ./cmd/wb extension build $$dir && NO_UPDATE_NOTIFIER=1 npm exec --yes --package=addons-linter@10.14.0 -- addons-linter $$dir >$$dir.log || { cat $$dir.log; exit 1; }; rm -rf $$dir $$dir.log

# Finds a Chromium, or installs Debian's.
browser:
	@$(GO) run ./testdata/browser

# And a Firefox, for the tests.
browsers:
	@$(GO) run ./testdata/browser -all

clean:
	rm -rf bin extension/dist/*.js extension/dist/*.css extension/dist/*.html extension/dist/manifest.json plugins/dist/builtins.wasm.zst
