# `make demo` and `make test` do all their set-up themselves; the other targets expect it done.
# SWIFT=/path/to/swift chooses a toolchain, else Scripts/find-swift does.

PREFIX = /usr/local
binary = .build/release/keytool
units = $(DESTDIR)$(PREFIX)/lib/systemd/system

# Looked up when a recipe runs, not when this file is read: `make help` needs no Swift,
# and on a bare machine Swift starts only after set-up has installed the libraries it is linked to.
swift = $(or $(shell SWIFT='$(SWIFT)' Scripts/find-swift),$(error this needs Swift 6.2 or newer))

imports = --explicit-target-dependency-import-check error
# Symbols are bound at the start: binding one in the middle of work saves the processor's registers on the stack,
# with what they hold of a key.
release = -c release --product keytool --static-swift-stdlib --disable-local-rpath -Xlinker -s -Xlinker -z -Xlinker now

# The tests speak to their own servers only, so a certificate bundle set for the machine is not theirs.
own-trust = env -u SSL_CERT_FILE -u SSL_CERT_DIR

.PHONY: help demo test build install lint format arrows bench clean set-up-build set-up-test set-up-bench
.NOTPARALLEL:

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 16

demo: set-up-build build ## install what is missing, build, and show the main job in a temporary folder
	@Scripts/demo

test: set-up-test build ## install what is missing, build, and run every test
	Scripts/test-find-swift
	Scripts/test-set-up
	Scripts/test-check-arrows
	$(swift) build --build-tests $(imports)
	$(own-trust) $(swift) test --skip-build
	$(own-trust) /usr/bin/python3 -m pytest -q Tests/KeytoolTests

build: ## build the release: .build/release/keytool
	$(swift) build $(release) $(imports)

install: $(binary) ## copy the release and its systemd units to PREFIX (/usr/local); DESTDIR is put in front
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(units)'
	install -m 755 $(binary) '$(DESTDIR)$(PREFIX)/bin/keytool'
	install -m 644 systemd/keytool-safe@.service systemd/keytool-safe@.timer '$(units)'
	sed -i 's|^ExecStart=/usr/local/|ExecStart=$(PREFIX)/|' '$(units)/keytool-safe@.service'

# No prerequisites: `sudo make install` copies what is there and never builds as root over a user's files.
$(binary):
	$(MAKE) build

lint: ## check the formatting
	$(swift) format lint --strict --recursive --parallel Sources Tests Benchmarks Package.swift

format: ## format the sources in place
	$(swift) format --in-place --recursive --parallel Sources Tests Benchmarks Package.swift

arrows: ## check that every import points down the storeys of ARCHITECTURE.md
	Scripts/check-arrows

bench: set-up-bench build ## measure the ratios that the release has to keep
	Benchmarks/run

clean: ## remove what was built
	rm -rf .build Benchmarks/KeyDerivation/.build

set-up-build set-up-test set-up-bench:
	@Scripts/set-up $(@:set-up-%=%)
