# `make demo` and `make test` do all their set-up themselves; the other targets expect it done.
# SWIFT=/path/to/swift chooses a toolchain, else Scripts/find-swift does.

PREFIX = /usr/local
binary = .build/release/keytool
server-binary = .build/release/keytool-server
bin = $(DESTDIR)$(PREFIX)/bin
units = $(DESTDIR)$(PREFIX)/lib/systemd/system
sysusers = $(DESTDIR)$(PREFIX)/lib/sysusers.d
share = $(DESTDIR)$(PREFIX)/share
# Those of keytool; that of keytool-server is in section 8, and keytool-lab is not installed.
pages = $(filter-out keytool-lab.1,$(sort $(notdir $(wildcard man/*.1 man/*.5 man/*.7))))
page-place = $(share)/man/man$(subst .,,$(suffix $(page)))/$(page)

# One word for the shell, whatever is in it.
quoted = '$(subst ','\'',$(1))'
blank := $(subst ,, )
# A path as a target of make.
target = $(subst $(blank),\ ,$(1))
# The program as a systemd unit names it: % and \ are doubled, and what has a blank is quoted.
named = $(subst %,%%,$(subst \,\\,$(PREFIX)/bin/$(1)))
named-as-word = $(if $(findstring $(blank),$(PREFIX)),"$(named)",$(named))
# The sed command that puts it there: \, & and | mean something to sed.
name-program = s|^ExecStart=/usr/local/bin/$(1) |ExecStart=$(subst |,\|,$(subst &,\&,$(subst \,\\,$(named-as-word)))) |
# What `make deb`, `make image` and `make dist` leave.
release-files = .build/packages

# Looked up when a recipe runs, not when this file is read: `make help` needs no Swift,
# and on a bare machine Swift starts only after set-up has installed the libraries it is linked to.
swift = $(or $(shell SWIFT='$(SWIFT)' Scripts/find-swift),$(error this needs Swift 6.2 or newer))

imports = --explicit-target-dependency-import-check error
# Symbols are bound at the start: binding one in the middle of work saves the processor's registers on the stack,
# with what they hold of a key.
# The runtimes of Swift, C++ (Scripts/runtime-archives) and gcc are linked by their archives. lld exports no symbols and
# packs relocations (docs/decisions/builds.md).
release = -c release --product keytool --static-swift-stdlib --disable-local-rpath -Xlinker -l:libgcc_eh.a \
    -Xlinker -s -Xlinker -z -Xlinker now \
    -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs

# `--version --verbose` shows them. A program without them could not be built again.
facts = facts="$$(Scripts/build-facts)" && KEYTOOL_BUILD_FACTS="$$facts"

release-server = $(subst --product keytool,--product keytool-server,$(release))
release-lab = $(subst --product keytool,--product keytool-lab,$(release))

# Generic types are made by a call and not by their names: for a name, the runtime looks through all 6,000 conformances
# to protocols, once for each type, which was a sixth of what a short command took. Two builds of one commit are equal:
# objects have no section .swift_modhash, which depends on where the sources are, and the C code of packages (BoringSSL, in
# the server), which has the names of its files inside, has them from the package on. All that is built in .build for a
# release has this, so that nothing is compiled twice.
compiled = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
    -Xcc $(call quoted,-fmacro-prefix-map=$(place)/checkouts/=)

# The releases that are tested, and the server's, are built in a place of their own. All else that the tests run is built
# once, in a place below that: everything, with the trait Server. KEYTOOL_BUILD in the environment names another place; one
# outside of the clone keeps what the packages are built to for the next clone.
place = $(abspath $(or $(KEYTOOL_BUILD),.build-all))
in-place = --scratch-path $(call quoted,$(place))
in-tests = --scratch-path $(call quoted,$(place)/tests)
tested = $(place)/tests/release
# Everything that is built in either place is built with this in the environment.
whole = WITH_SERVER=1
# The build of the tests has the configuration of a release: in a debug build, the parser checks its options each time that
# a command starts. Only what Package.swift names is optimised. There is no index for editors, which takes a sixth of the
# time, and no debug information, which takes a twelfth. A module's interface is written by the process that compiles it:
# a process of its own reads and checks all of its files again, which is an eighth.
tested-flags = -c release --disable-index-store -debug-info-format none -Xswiftc -num-threads -Xswiftc 2 \
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -Onone -Xcc -O0 -Xswiftc -disable-cmo -Xswiftc -enable-testing
check-release = $(whole) Scripts/check-packages $(swift) $(in-place)
of-tests = $(whole) BUILD_FOR_TESTS=1
# Symbols are bound at the start, as in the release.
tested-build = $(of-tests) $(swift) build $(in-tests) $(tested-flags) -Xlinker -z -Xlinker now
# File by file and not optimised: what an edit changes is compiled in seconds, and a test or two take longer.
cli-build = $(swift) build --scratch-path .build-cli --disable-index-store -Xlinker -z -Xlinker now
# What a build of tests leaves, as `swift test` calls it.
run-tests = keytoolPackageTests.xctest --testing-library swift-testing $(if $(FILTER),--filter '$(FILTER)')

# The tests speak to their own servers only, so a certificate bundle set for the machine is not theirs.
own-trust = env -u SSL_CERT_FILE -u SSL_CERT_DIR

.PHONY: help demo test test-all check check-cli chat pairing examples vectors model build lab server manual pictures completions completions-server
.PHONY: install uninstall install-server uninstall-server deb deb-server image release dist dist-server apt-repository lint format arrows words seeds claims secrets
.PHONY: constant-time bench clean
.PHONY: parsers fuzz fuzz-replay fuzz-replay-listener fuzz-program asan tsan memcheck
.PHONY: test-ci packages build-all build-release swift-tests object-store moto build-models safe-model ibex-model ratchet-model
.PHONY: set-up-build set-up-test set-up-test-all set-up-bench set-up-dist
.NOTPARALLEL:

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 27

demo: set-up-build ## install what is missing, build, and show the main job in a temporary directory
	@Scripts/build-demo $(swift)
	@Scripts/demo .build-demo/debug/keytool

# `make test` runs one case of each test function of the binaries, chosen with a fixed seed, and `.ci/run` two; `make test
# CASES=` runs all of them, as `make test-all` does.
test: export CASES ?= 1
test: set-up-test ## install what is missing, build, and run every test, in stages; STAGE=name for one of them
	@Scripts/run-tests $(STAGE)

# With the checks of the sources.
test-ci: export CASES ?= 2
test-ci: set-up-test
	@Scripts/run-tests --ci $(STAGE)

# The tests of the binary try a sample of their large matrices (damaged files, edited states, failing calls) with a fixed
# seed: what they leave out differs little from what they try. `make test` skips the tests against OpenStack Swift and
# moto (OpenStackSwiftTests, S3ServerTests), which need these S3 servers and two minutes.
test-all: export ALL_CASES = 1
test-all: set-up-test-all ## all cases of the large matrices, and the S3 store against OpenStack Swift and moto; begins where it ended
	@Scripts/run-tests --all $(STAGE)

packages:
	$(whole) Scripts/check-packages $(swift) $(in-tests)

build-all:
	$(tested-build) --build-tests $(imports)

swift-tests:
	$(call quoted,$(tested))/$(run-tests) --no-parallel

object-store:
	Scripts/test-object-store openstack $(call quoted,$(tested)/keytoolPackageTests.xctest)

moto:
	Scripts/test-object-store moto $(call quoted,$(tested)/keytoolPackageTests.xctest)

# Without the trait, nothing of this room is compiled.
check: with-server = $(if $(filter SafeServerHTTP,$(ROOM)),$(whole))
check: ## build and run the tests of one room: make check ROOM=Threema
	@test -n '$(ROOM)' -a -n '$(wildcard Tests/*/$(ROOM)Tests)' || { echo "make check: Tests/ has no $(ROOM)Tests" >&2; exit 2; }
	$(with-server) ROOM='$(ROOM)' $(swift) build --product keytoolPackageTests --scratch-path .build-room --disable-index-store
	$(own-trust) .build-room/debug/$(run-tests)

check-cli: ## run the tests of the binary whose names match, on a debug build: make check-cli K=push
	$(cli-build) --product keytool
	$(cli-build) --product keytool-lab
	KEYTOOL=$(call quoted,$(CURDIR)/.build-cli/debug/keytool) $(own-trust) Scripts/test-binary -k '$(K)'

chat: ## test both halves of the chat server protocol against another implementation
	$(tested-build) --product chat-run $(imports)
	Scripts/test-chat

pairing: ## pair web client and app through a SaltyRTC server
	$(tested-build) --product web-peer $(imports)
	Scripts/test-pairing

examples: ## build the programs in Examples, which use the libraries, and compare what they print
	$(tested-build) --product bot-run $(imports)
	$(of-tests) Scripts/test-examples $(swift) $(call quoted,$(place)/tests) $(tested-flags)

vectors: ## build the program in Vectors, which computes test vectors, and run it on right and wrong ones
	$(of-tests) Scripts/test-vectors $(swift) $(call quoted,$(place)/tests) $(tested-flags)

model: deep = 1
model: build-models safe-model ibex-model ratchet-model ## check the rules of the Safe and of sessions: every sequence of steps and faults to a depth, then random ones; ALL_CASES=1 for more

build-models:
	for product in safe-model ibex-model ratchet-model; do \
	    $(tested-build) --product $$product $(imports) || exit; done

# Only `make model` goes to the whole depth, which takes minutes.
safe-model:
	$(call quoted,$(tested)/safe-model) --seconds 3600 $(if $(deep),,--shallower 3 --walks 2000)

ibex-model:
	$(call quoted,$(tested)/ibex-model) search $(if $(ALL_CASES),60,20)
	$(call quoted,$(tested)/ibex-model) random $(if $(ALL_CASES),10000,300)

ratchet-model:
	$(call quoted,$(tested)/ratchet-model) random 100000
	$(call quoted,$(tested)/ratchet-model) groups $(if $(ALL_CASES),120,40)

build: ## build the release: .build/release/keytool
	Scripts/check-packages $(swift)
	SWIFT='$(SWIFT)' Scripts/runtime-archives "$$($(swift) build $(release) --show-bin-path)"
	$(facts) $(swift) build $(release) $(compiled) $(imports)

# The release as `make build` makes it, with the rest: a trait defines a name that no source of keytool asks for.
build-release:
	$(check-release)
	SWIFT='$(SWIFT)' Scripts/runtime-archives "$$($(whole) $(swift) build $(in-place) $(release) --show-bin-path)"
	$(facts) $(whole) $(swift) build $(in-place) $(release) $(compiled) $(imports)
	$(facts) $(whole) $(swift) build $(in-place) $(release-lab) $(compiled) $(imports)

lab: build ## build the laboratory, which opens and seals traffic: .build/release/keytool-lab
	$(facts) $(swift) build $(release-lab) $(compiled) $(imports)

server: ## build the Safe server's release: .build/release/keytool-server
	$(check-release)
	SWIFT='$(SWIFT)' Scripts/runtime-archives "$$($(whole) $(swift) build $(in-place) $(release-server) --show-bin-path)"
	$(facts) $(whole) $(swift) build $(in-place) $(release-server) $(compiled) $(imports)
	install -D $(call quoted,$(place)/release/keytool-server) $(server-binary)

manual: ## write the manual for a browser, docs/man, from the pages in man/
	Scripts/make-manual

pictures: ## draw the pictures in README from what keytool prints
	$(tested-build) --product keytool
	Scripts/draw-pictures $(call quoted,$(tested)/keytool)

completions: build ## write what the release says of itself to the shells into completions/
	$(binary) --generate-completion-script bash > completions/keytool.bash
	$(binary) --generate-completion-script zsh > completions/_keytool
	$(binary) --generate-completion-script fish > completions/keytool.fish

completions-server: server ## the same for the Safe server
	$(server-binary) --generate-completion-script bash > completions/keytool-server.bash
	$(server-binary) --generate-completion-script zsh > completions/_keytool-server
	$(server-binary) --generate-completion-script fish > completions/keytool-server.fish

install: $(call target,$(binary)) ## copy the release, its manual, completions and systemd units to PREFIX (/usr/local), below DESTDIR
	install -d $(call quoted,$(bin)) $(call quoted,$(units))
	install -m 755 $(call quoted,$(binary)) $(call quoted,$(bin)/keytool)
	install -m 644 systemd/keytool-safe@.service systemd/keytool-safe@.timer $(call quoted,$(units))
	sed -i $(call quoted,$(call name-program,keytool)) $(call quoted,$(units)/keytool-safe@.service)
	$(foreach page,$(pages),install -D -m 644 man/$(page) $(call quoted,$(page-place)) &&) true
	install -D -m 644 completions/keytool.bash $(call quoted,$(share)/bash-completion/completions/keytool)
	install -D -m 644 completions/_keytool $(call quoted,$(share)/zsh/site-functions/_keytool)
	install -D -m 644 completions/keytool.fish $(call quoted,$(share)/fish/vendor_completions.d/keytool.fish)

uninstall: ## remove what `make install` copied, with the same PREFIX and DESTDIR
	rm -f $(call quoted,$(bin)/keytool)
	rm -f $(call quoted,$(units)/keytool-safe@.service) $(call quoted,$(units)/keytool-safe@.timer)
	rm -f $(foreach page,$(pages),$(call quoted,$(page-place)))
	rm -f $(call quoted,$(share)/bash-completion/completions/keytool)
	rm -f $(call quoted,$(share)/zsh/site-functions/_keytool)
	rm -f $(call quoted,$(share)/fish/vendor_completions.d/keytool.fish)

install-server: $(call target,$(server-binary)) ## copy the Safe server, its manual, completions and systemd unit in the same way
	install -d $(call quoted,$(bin)) $(call quoted,$(units)) $(call quoted,$(sysusers))
	install -m 755 $(call quoted,$(server-binary)) $(call quoted,$(bin)/keytool-server)
	install -m 644 systemd/keytool-server.service $(call quoted,$(units))
	sed -i $(call quoted,$(call name-program,keytool-server)) $(call quoted,$(units)/keytool-server.service)
	install -m 644 systemd/keytool-server.conf $(call quoted,$(sysusers))
	install -D -m 644 man/keytool-server.8 $(call quoted,$(share)/man/man8/keytool-server.8)
	install -D -m 644 completions/keytool-server.bash $(call quoted,$(share)/bash-completion/completions/keytool-server)
	install -D -m 644 completions/_keytool-server $(call quoted,$(share)/zsh/site-functions/_keytool-server)
	install -D -m 644 completions/keytool-server.fish $(call quoted,$(share)/fish/vendor_completions.d/keytool-server.fish)

uninstall-server: ## remove what `make install-server` copied, with the same PREFIX and DESTDIR
	rm -f $(call quoted,$(bin)/keytool-server) $(call quoted,$(units)/keytool-server.service)
	rm -f $(call quoted,$(sysusers)/keytool-server.conf) $(call quoted,$(share)/man/man8/keytool-server.8)
	rm -f $(call quoted,$(share)/bash-completion/completions/keytool-server)
	rm -f $(call quoted,$(share)/zsh/site-functions/_keytool-server)
	rm -f $(call quoted,$(share)/fish/vendor_completions.d/keytool-server.fish)

deb: set-up-dist build ## make the Debian package messenger-keytool in .build/packages, and check it with lintian
	lintian --allow-root --fail-on error,warning "$$(Scripts/make-deb $(binary) $(release-files))"
	@ls $(release-files)/messenger-keytool_*.deb

deb-server: set-up-dist server ## make the Debian package keytool-server in .build/packages, and check it with lintian
	lintian --allow-root --fail-on error,warning "$$(Scripts/make-server-deb $(server-binary) $(release-files))"
	@ls $(release-files)/keytool-server_*.deb

image: set-up-dist server ## make a container image of the Safe server in .build/packages (OCI, for podman and Docker), without an engine
	@Scripts/make-image $(server-binary) $(release-files)

.PHONY: committed
# Before an hour of work. An untracked key in the clone does no harm, an untracked source is compiled.
committed:
	@test -z "$$(git status --porcelain --untracked-files=no; git status --porcelain -- Sources)" || \
	    { echo "make release: what is signed has to be committed: git status" >&2; exit 1; }

release: $(if $(KEY),committed) set-up-dist build-release server ## make all that a release consists of in .build/packages; KEY=file signs it
	Scripts/make-release $(call quoted,$(place)/release) $(release-files)
	$(if $(KEY),Scripts/sign-release $(release-files) $(call quoted,$(KEY)))

dist: set-up-dist ## make the source tarball of the last commit, its SBOM and SHA256SUMS in .build/packages
	Scripts/make-dist $(release-files)

dist-server: dist server ## the same, with the SBOM of the Safe server
	Scripts/make-server-sbom $(release-files)

# It builds no packages: the machine that has the key need not be the one that has the toolchain.
apt-repository: set-up-dist ## make an apt repository of the packages in .build/packages, signed by GnuPG: KEY=FINGERPRINT
	@rm -rf $(release-files)/apt.new
	@Scripts/make-apt-repository $(release-files) $(release-files)/apt.new $(call quoted,$(KEY)) >/dev/null
	@rm -rf $(release-files)/apt && mv $(release-files)/apt.new $(release-files)/apt && echo $(release-files)/apt

# No prerequisites: `sudo make install` copies what is there and never builds as root over a user's files.
$(call target,$(binary)):
	$(MAKE) build

$(call target,$(server-binary)):
	$(MAKE) server

public-types: ## count the public types that no program and no example names
	Scripts/count-public-types --list

lint: ## check the formatting, and that bash reads each script
	for script in $$(grep -lE '^#!.*bash' .ci/run Scripts/*); do bash -n "$$script" || exit; done
	$(swift) format lint --strict --recursive --parallel Sources Tests Examples Vectors Benchmarks Fuzz Package.swift

format: ## format the sources in place
	$(swift) format --in-place --recursive --parallel Sources Tests Examples Vectors Benchmarks Fuzz Package.swift

arrows: ## check that every import points down the storeys of docs/rooms.md
	Scripts/check-arrows

words: ## check that the text uses plain words
	Scripts/check-words

seeds: ## check that the table of the whitepaper names files, tests and verbs that exist
	Scripts/check-seeds

claims: ## check that each claim of SECURITY.md names a test that exists
	Scripts/check-claims

parsers: ## check that each parser of bytes from outside has a target in Fuzz
	Scripts/check-fuzz

# For each target.
TIME ?= 10m

# LISTENER=1: the targets of the server's listener, which are a program of their own.
fuzz-script = Scripts/fuzz $(if $(LISTENER),--listener)

fuzz: fuzz-program ## look for bytes that a parser does not survive, TIME for each: make fuzz TIME=10m TARGET=safe-document
	$(fuzz-script) run $(TIME) $(TARGET)

fuzz-replay: fuzz-program ## run each input of the corpora in Fuzz/Corpus once
	$(fuzz-script) replay $(TARGET)

fuzz-replay-listener: ## the same for the server's listener
	@$(MAKE) --no-print-directory fuzz-replay LISTENER=1

fuzz-program:
	$(fuzz-script) build $(swift)

asan: ## run the tests of the rooms that touch C or raw memory under AddressSanitizer
	Scripts/test-sanitizers address $(swift)

tsan: ## run the tests of some rooms that have threads under ThreadSanitizer
	Scripts/test-sanitizers thread $(swift)

# The release is built by the stage before it, or by `make build-release`.
memcheck: ## run a command of each noun of the release under valgrind's memcheck
	Scripts/test-memcheck $(call quoted,$(place)/release/keytool)

secrets: ## check that bytes leave guarded memory by methods named reveal only
	Scripts/check-secrets

constant-time: ## check under valgrind that no branch and no address depends on a key, in any codec of one
	$(check-release)
	$(whole) Scripts/test-constant-time $(swift) $(in-place) $(compiled) $(imports)

bench: set-up-bench build ## measure the ratios that the release has to keep
	Benchmarks/run
	Benchmarks/large-profile
	$(swift) build -c release --product session-store-run $(compiled) $(imports)
	Benchmarks/replay .build/release/session-store-run
	Benchmarks/commit .build/release/session-store-run
	Benchmarks/messages
	Benchmarks/age
	Benchmarks/chat
	Benchmarks/pin
	Benchmarks/timing

clean: ## remove what was built
	rm -rf .build .build-all .build-demo .build-room .build-cli .build-fuzz .build-address .build-thread Benchmarks/KeyDerivation/.build Benchmarks/MessageBoxes/.build Benchmarks/MediaFrames/.build Benchmarks/AgeFiles/.build Benchmarks/ChatMessages/.build Benchmarks/Timing/.build

# These are those of `make demo`, `make test` and `make test-all`, which say that they install what is missing.
set-up-build set-up-test set-up-test-all:
	@Scripts/set-up --only-say $(@:set-up-%=%)

set-up-bench set-up-dist:
	@Scripts/set-up $(@:set-up-%=%)
