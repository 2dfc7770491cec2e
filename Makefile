# Segel. `make help` lists what there is.
SHELL   := /bin/bash
DATA    ?= data
EVERY   ?= 1
KILLS   ?= 200
OUTAGES ?= 40
ORDERS  ?= 2000
DOCUMENTS ?= 400
CLIENTS ?= 8
LISTEN  ?= 127.0.0.1:8080
BIN     := build/segel
comma   := ,
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# Programs, tests and checks are compiled with the same options, so that each package is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := $(filter-out -trimpath,$(shell go env GOFLAGS 2>/dev/null)) -trimpath

.DEFAULT_GOAL := help
.PHONY: help run cluster drill test-upgrade web build test test-go test-web test-e2e test-e2e-all test-race test-s3 test-acme test-cluster screens demo load fairness bench bench-lists simulate fault failures test-every enumeration names interop rehearsal dist check-dist check-deb check-image check-deploy check-monitoring check fmt lint generate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: web build ## build, and start the service on its embedded default (DATA=data LISTEN=127.0.0.1:8080)
	@scripts/need -w cjk-font soffice bwrap
	@$(BIN) serve --data $(DATA) --listen $(LISTEN)

cluster: web build ## run two nodes with a PostgreSQL server, an S3 server, a stamp office and a proxy; all data end with it (NODES=2 LISTEN=127.0.0.1:8080 COMMAND='scripts/walk.sh ...')
	@scripts/need go postgres
	@scripts/need -w cjk-font soffice bwrap
	@scripts/s3server/setup
	@go run ./scripts/cluster -segel $(BIN) -nodes $(or $(NODES),2) -listen $(LISTEN) $(COMMAND)

web: web/dist/index.html ## build the web app into the folder that the binary embeds

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	@scripts/need npm
	@cd web && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json

web/dist/index.html: web/node_modules/.package-lock.json web/index.html web/vite.config.ts web/openapi.json $(shell find web/src web/public -type f)
	@cd web && npm run --silent build

build: ## build the one binary, build/segel
	@scripts/need go
	@mkdir -p build
	@go build -ldflags '-X main.version=$(VERSION)' -o $(BIN) ./cmd/segel

test: test-go test-web ## run all tests; as root, first install the programs that validate our files

test-web: web/node_modules/.package-lock.json ## run the web app's tests
	@cd web && npx tsc --noEmit && npm run --silent test

test-e2e: web build ## run the web app in Chromium's engine against the real service: what represents each variant (CHROMIUM=/usr/bin/chromium)
	@[ -n "$(CHROMIUM)" ] || scripts/need -w chromium-headless-shell
	@command -v chromium-headless-shell >/dev/null || scripts/need chromium
	@go build -o build/mailbox ./scripts/mailbox
	@export TMPDIR=$$(scripts/tmpdir); cd web && npm run --silent e2e

test-e2e-all: export SEGEL_E2E := all
test-e2e-all: export CHROMIUM ?= /usr/bin/chromium
test-e2e-all: ## the same with all variants, in the whole browser
	@[ -e "$(CHROMIUM)" ] || scripts/need chromium
	@$(MAKE) --no-print-directory test-e2e

screens: export CHROMIUM ?= /usr/bin/chromium
screens: web build ## take the pictures of docs/screens anew, and all others into build/screens (CHROMIUM=/usr/bin/chromium)
	@scripts/need chromium
	@cd web && npm run --silent screens
	@go run ./scripts/palette docs/screens/*.png

# make check vets, tests do not. Go builds tests on the disk, in GOTMPDIR, and the tests keep their files in TMPDIR: in memory. They do not see GOTMPDIR, which testing.T.TempDir would prefer.
TESTDIRS = GOTMPDIR=$${GOTMPDIR:-/tmp} TMPDIR=$$(scripts/tmpdir)
GOTEST := go test -vet=off -exec 'env -u GOTMPDIR'

test-go:
	@scripts/need go curl pdfsig qpdf mutool openssl postgres cjk-font soffice bwrap
	@scripts/need -w php python3
	@$(TESTDIRS) SEGEL_REQUIRE_POSTGRES=1 SEGEL_REQUIRE_CONVERT=1 $(GOTEST) -timeout 30m -parallel 4 ./...

RACE := ./internal/workflow/... ./internal/jobs/... ./internal/process ./internal/store/sqlstore ./internal/blob/... ./internal/identity/... ./internal/api/... ./internal/notify/...

test-s3: ## run the tests against a real S3 server, which is built first (build/versitygw)
	@scripts/need go
	@scripts/s3server/setup
	@export $(TESTDIRS) SEGEL_REQUIRE_S3=1; $(GOTEST) -timeout 10m ./internal/blob/s3 && $(GOTEST) -timeout 10m -run Bucket ./cmd/segel

test-acme: ## run the tests against a real ACME server, which is built first (build/pebble)
	@scripts/need go
	@scripts/acmeserver/setup
	@export $(TESTDIRS) SEGEL_REQUIRE_ACME=1; $(GOTEST) -count=1 -timeout 5m ./internal/https && $(GOTEST) -count=1 -timeout 5m -run ACME ./cmd/segel

test-cluster: build ## run the walk twice on the nodes, the S3 server and the proxy of make cluster, and then segel fsck
	@scripts/need go curl postgres
	@scripts/s3server/setup
	@go run ./scripts/cluster -segel $(BIN) -listen 127.0.0.1:0 \
	  bash -c 'for i in 1 2; do scripts/walk.sh "$$CLUSTER_URL" "$$CLUSTER_EMAIL" "$$CLUSTER_PASSWORD" "$$CLUSTER_CONTRACT" build/signed.pdf || exit 1; done'

drill: ## back a service up and kill it under load, restore it elsewhere, and check every document that people had; also that nothing is bought twice
	@scripts/need go curl pdfsig
	@$(TESTDIRS) $(GOTEST) -count=1 -timeout 5m -run 'TestDrill|TestWhatWasBoughtSince' ./cmd/segel

# SQLite, which was translated from C, is not instrumented for the race detector: tests on it would take three times the processor time.
NORACE := modernc.org/...=-race=false -d=checkptr=0

test-race: export CGO_ENABLED := 1
test-race: ## run the tests of what runs concurrently under the race detector (needs a C compiler; PACKAGES=./internal/jobs/... RUN=Stream SKIP=Model)
	@scripts/need go cc
	@$(TESTDIRS) $(GOTEST) -race -gcflags='$(NORACE)' -short -timeout 15m $(if $(RUN),-run '$(RUN)') $(if $(SKIP),-skip '$(SKIP)') $(or $(PACKAGES),$(RACE))

demo: build ## walk one contract through a service of its own, and print each step
	@go run ./scripts/demo $(BIN)

load: build ## take documents through the whole job, with evidence certificates and without, and print what each costs (DOCUMENTS=400 CLIENTS=8 POSTGRES=1 RTT=2ms STAMPS=1 EVIDENCE=request PROFILE=cpu.pprof AGAINST=build/before ROUNDS=12 NODES=1,2,3; what a measurement does not use is refused)
	@scripts/need go $(if $(POSTGRES)$(NODES),postgres)
	@$(if $(NODES),scripts/s3server/setup)
	@go run ./scripts/load -segel $(BIN) -n $(DOCUMENTS) -c $(CLIENTS) $(if $(POSTGRES),-postgres) $(if $(RTT),-rtt $(RTT)) $(if $(STAMPS),-stamps) $(if $(EVIDENCE),-evidence $(EVIDENCE)) $(if $(PROFILE),-profile $(PROFILE)) $(if $(AGAINST),-against $(AGAINST)) $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(NODES),-nodes $(NODES))

fairness: build ## measure how long single stamps of one organisation take while another one has a batch of orders waiting, on several nodes (BATCH=100000 SINGLES=50 NODES=2 OFFICE=100ms SLOTS=1)
	@scripts/need go postgres
	@scripts/s3server/setup
	@go run ./scripts/load -segel $(BIN) -nodes $(or $(NODES),2) -batch $(or $(BATCH),100000) -n $(or $(SINGLES),50) -size 20480 -office $(or $(OFFICE),100ms) -slots $(or $(SLOTS),1)

bench: build ## measure what docs/performance.md states
	@scripts/s3server/setup
	@go run ./scripts/bench $(BIN)

bench-lists: build ## measure lists of many documents on one database; takes 12 to 15 GB and half an hour (DOCUMENTS=10000000 DATABASE=sqlite|postgres)
	@scripts/need go $(if $(filter postgres,$(DATABASE)),postgres)
	@DOCUMENTS=$(if $(filter command line environment,$(origin DOCUMENTS)),$(DOCUMENTS),10000000) DATABASE=$(or $(DATABASE),sqlite) go run ./scripts/bench $(BIN) lists

simulate: ## simulate how long orders wait, and how many nodes they need (SEED=1 ARGS='-documents 1000000 -slots 16'; docs/scale.md)
	@go run ./scripts/simulate -seed $(or $(SEED),1) $(ARGS)

fault: build ## kill the service and take its database, files and disk away while it stamps and sends mails and events, and prove that nothing is lost (KILLS=200 OUTAGES=40 ORDERS=2000 SEED=7 OFFICE=1 POSTGRES=1 NODES=3 DELETED=1 MUTANT=naive|mailed-first)
	@scripts/need go $(if $(POSTGRES)$(NODES),postgres)
	@$(if $(NODES),scripts/s3server/setup)
	@go run ./scripts/fault -segel $(BIN) -kills $(KILLS) -outages $(OUTAGES) -orders $(ORDERS) -seed $(or $(SEED),0) $(if $(OFFICE),-office) $(if $(POSTGRES),-postgres) $(if $(NODES),-nodes $(NODES)) $(if $(DELETED),-deleted) $(if $(MUTANT),-mutant $(MUTANT))

failures: build ## cause each failure of docs/operations.md in a real service, and check what the page states, its remedy and what is there afterwards (ONLY=disk; needs root for disks and PostgreSQL)
	@scripts/need go postgres soffice bwrap
	@scripts/s3server/setup
	@go build -ldflags '-X main.version=$(VERSION)' -tags clockfault -o build/segel-clockfault ./cmd/segel
	@go run ./scripts/failures $(if $(ONLY),-only '$(ONLY)')

test-every: ## run the tests of many similar cases with all of them, of which make test tries a part (RUN=TestFsckFindsEvery)
	@scripts/need go soffice bwrap postgres cjk-font
	@scripts/s3server/setup
	@$(TESTDIRS) SEGEL_REQUIRE_POSTGRES=1 SEGEL_REQUIRE_S3=1 SEGEL_TEST_EVERY=1 $(GOTEST) -count=1 -timeout 60m -v $(if $(RUN),-run '$(RUN)') ./cmd/segel ./internal/store/sqlstore

enumeration: build ## measure whether the time of an answer shows what exists, for every operation (N=300 ONLY=login; docs/decisions/0036-accounts.md)
	@go run ./scripts/enumerate -binary $(BIN) -n $(or $(N),300) $(if $(ONLY),-only '$(ONLY)')

interop: build ## validate what we sign with other programs: interop/README.md (EVERY=4: a quarter of SEGEL_PDFS)
	@scripts/need go pdfsig pdftoppm qpdf mutool openssl java
	@interop/setup
	@go run ./interop -segel $(BIN) -every $(EVERY)

rehearsal: ## move the clock of services through years of signing, renewing and validating, with our validator, pyHanko and EU DSS: docs/rehearsal.md (YEARS=21 STEP=6 DOCUMENTS=1: per service and step of so many months; ROOT=1: replace a root in its 27th year instead)
	@scripts/need go java
	@interop/setup java pyhanko
	@go run ./scripts/rehearsal $(if $(ROOT),-root) $(if $(YEARS),-years $(YEARS)) $(if $(STEP),-step $(STEP)) $(if $(filter command line environment,$(origin DOCUMENTS)),-documents $(DOCUMENTS)) $(if $(FOLDER),-folder $(FOLDER))

check-image: ## run the image of build/dist with podman, read-only and without capabilities, until it is ready (needs root)
	@scripts/checkimage build/dist

check-deploy: ## check deploy/compose.yaml against the Compose Specification, and deploy/helm with helm's libraries and the types of Kubernetes
	@cd scripts/compose && POSTGRES_PASSWORD=- S3_SECRET_KEY=- SEGEL_MASTER_KEY=- go run . ../../deploy/compose.yaml && go test -count=1 .
	@cd scripts/helm && go test -count=1 .

dist: web ## make the files of a release in build/dist: binaries, .deb, .rpm, images, lists of components, chart, digests (ARCH=amd64,arm64)
	@scripts/need go
	@cd scripts/dist && go run . -version $(VERSION) -epoch $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct)) -arch $(or $(ARCH),amd64$(comma)arm64) -out ../../build/dist ../..
	@cat build/dist/sha256sums

check-dist: dist ## check what is in the files of a release, start the image, sign with the arm64 binary in an emulator, and make them again elsewhere: every byte is the same (ARCH=amd64 QUICK=1)
	@scripts/need bwrap
	@cd scripts/dist && SEGEL_DIST=$(CURDIR)/build/dist go test -count=1 .
	@cd scripts/helm && SEGEL_DIST=$(CURDIR)/build/dist go test -count=1 -run Release .
	@$(if $(findstring arm64,$(or $(ARCH),arm64)),scripts/checkarm64 build/dist)
	@VERSION=$(VERSION) ARCH=$(ARCH) QUICK=$(QUICK) scripts/distagain

check-deb: ## install the .deb of build/dist under systemd in a copy of this machine's files, start the service, stop it and remove it (needs root)
	@scripts/checkdeb build/dist

check-monitoring: ## check deploy/prometheus and deploy/grafana with promtool: rules, configuration and queries, and that each alert fires
	@scripts/need go promtool
	@go run ./scripts/monitoring

test-upgrade: build ## let this release take over a data folder that the former release filled, and run the walk on nodes of both beside each other on one database
	@scripts/need go postgres
	@scripts/s3server/setup
	@scripts/former
	@go run ./scripts/upgrade -former build/segel-former -segel $(BIN)
	@go run ./scripts/cluster -segel $(BIN) -former build/segel-former -listen 127.0.0.1:0 \
	  bash -c 'for i in 1 2 3 4 5 6; do scripts/walk.sh "$$CLUSTER_URL" "$$CLUSTER_EMAIL" "$$CLUSTER_PASSWORD" "$$CLUSTER_CONTRACT" build/signed.pdf || exit 1; done'

names: ## measure how functions are named and how long they are
	@go run ./scripts/names

check: lint ## format, vet, staticcheck, module file, generated files
	@scripts/drift

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt would change:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	@go vet ./...
	@go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fmt: ## format the sources
	@gofmt -w $$(git ls-files '*.go')

generate: ## write the generated files anew
	@scripts/generate

clean: ## remove what was built
	@rm -rf build
