# `make demo` shows the whole system, `make test` proves it; both install what they need.
# Everything runs on the Node that package.json pins; the machine's own Node only installs it.

PROXIMA := ./proxima
NODE = $(firstword $(wildcard node_modules/node-*/bin/node) node)
MOCHA = $(NODE) node_modules/mocha/bin/mocha.js
SERVICES ?= ../shared/services

.PHONY: help install nats demo test test-real test-browser campaign diagrams check format bench clean

help:
	@echo 'make demo      the whole system on a simulated cluster; prints its URL and a token'
	@echo '               PROXIMA_PORT=8080 chooses the port, make demo KUBECONFIG=file uses that cluster instead'
	@echo 'make test      type check, lint and every spec, on a real PostgreSQL and a real nats-server'
	@echo 'make test-real the specs against a real Kubernetes control plane (SERVICES=$(SERVICES))'
	@echo 'make test-browser  the visualizer in headless Chromium; screenshots in .proxima/screenshots'
	@echo 'make campaign  long random runs: crashes, laws, faults, requests; SEED=number runs one again'
	@echo 'make bench     measured scenarios; figures and how to read them: bench/README.md'
	@echo 'make format    format and fix what the linter can fix'
	@echo 'make diagrams  draw the state machines again into docs/machines.md'
	@echo 'make clean     remove .proxima/ and what belongs to it, unless something still runs on it'

install: node_modules/.package-lock.json

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

nats: install
	@$(NODE) scripts/installNats.ts

demo: nats
	@exec $(PROXIMA) demo --stop-with-parent $(if $(filter command,$(word 1,$(origin KUBECONFIG))),--kubeconfig '$(KUBECONFIG)')

check: install
	$(NODE) node_modules/typescript/bin/tsc --noEmit -p .
	$(NODE) node_modules/typescript/bin/tsc --noEmit -p http/debug/page
	$(NODE) node_modules/@biomejs/biome/bin/biome check .

format: install
	$(NODE) node_modules/@biomejs/biome/bin/biome check --write .

test: nats check
	@exec $(MOCHA) --ignore 'spec/real/**' --ignore 'spec/browser/**' 'spec/**/*.spec.ts'

test-real: nats
	@SERVICES='$(SERVICES)' $(NODE) scripts/testReal.ts

test-browser: nats
	@exec $(NODE) scripts/testBrowser.ts

# Specs that read spec/support/campaign.ts run longer under CAMPAIGN=1.
CAMPAIGN_SPECS = spec/paths/crashes.spec.ts 'spec/**/*.laws.spec.ts' spec/agent/faults/schedules.spec.ts spec/http/fuzz.spec.ts

campaign: nats
	@seed=$${SEED:-$$(date +%s)}; echo "campaign: SEED=$$seed"; CAMPAIGN=1 SEED=$$seed exec $(MOCHA) $(CAMPAIGN_SPECS)

diagrams: install
	@$(NODE) scripts/drawMachines.ts

bench: nats
	@exec $(NODE) bench/run.ts

clean:
	@$(NODE) scripts/clean.ts
