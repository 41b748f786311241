# One non-recursive Makefile; a clean clone needs only `make test` or `make quickstart`. doc/HACKING.md lists the targets.
PREFIX  ?= /usr/local
CC      ?= cc
CFLAGS  ?= -O2 -g
BUILD   ?= release
V       ?= 0
Q       := $(if $(filter 1,$(V)),,@)
say      = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' '$(1)' '$(2)')
VERSION := $(shell cat VERSION)

DIRS    := $(shell awk -F: '!/^\#/ && NF { gsub(/ /, "", $$1); if ($$1 != "cli") print $$1 }' tests/lint/layers)
OUT     := build/$(BUILD)
PKGS    := libcurl libarchive libcjson libcrypto zlib
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
           -Wold-style-definition -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wdate-time -fno-common
HARD    := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
SAN.asan := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1
SAN.tsan := -fsanitize=thread -O1
SAN.cov  := --coverage -O0
SAN.fuzz := -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -O1
SAN     := $(SAN.$(BUILD))
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm -ldl
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. $(WARN) $(if $(SAN),,$(HARD)) $(if $(WERROR),-Werror) \
             -DGPUFERRY_VERSION='"$(VERSION)"' -ffile-prefix-map=$(CURDIR)=. $(CFLAGS) $(SAN) $(PKG_CFLAGS)
ALL_LDFLAGS = $(LDFLAGS) $(SAN) $(if $(SAN),,-pie -Wl,-z,relro,-z,now) -Wl,--as-needed

LIB_SRC  := $(sort $(foreach d,$(DIRS),$(wildcard $(d)/*.c)))
CLI_SRC  := $(sort $(wildcard cli/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/*_fuzz.c))
HEADERS  := $(sort $(foreach d,$(DIRS) cli,$(wildcard $(d)/*.h)))
obj       = $(patsubst %.c,$(OUT)/%.o,$(1))
LIB      := $(OUT)/libgpuferry.a
BIN      := $(OUT)/gpuferry
UNITS    := $(patsubst %.c,$(OUT)/%,$(UNIT_SRC))
FUZZ     := $(patsubst %.c,$(OUT)/%,$(FUZZ_SRC))
RUN_SRC  := $(sort $(wildcard tests/cases/*_run.c tests/vectors/*_run.c tests/tools/*_tool.c))
RUNS     := $(patsubst %.c,$(OUT)/%,$(RUN_SRC))
MAN      := $(patsubst doc/man/%.scd,$(OUT)/man/%,$(wildcard doc/man/*.scd))
SECONDS  ?= 60
JOBS     := $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

.DELETE_ON_ERROR:
.PHONY: all unit test test-full test-programs setup quickstart bench fuzz fuzz-run lint hdr-check layers symbols rules tidy man install uninstall dist clean FORCE
all: $(BIN)

# objects are rebuilt when flags change: the flags file is touched only if its text differs
$(OUT)/.flags: FORCE
	$(Q)mkdir -p $(OUT) && printf '%s\n' "$(CC) $(subst ",,$(ALL_CFLAGS))" | cmp -s - $@ || printf '%s\n' "$(CC) $(subst ",,$(ALL_CFLAGS))" > $@
$(OUT)/%.o: %.c $(OUT)/.flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(DEFINE) -MMD -MP -c -o $@ $<
$(OUT)/bundler/scripts.o: $(wildcard scripts/*.sh scripts/lib/*)
# the data set travels inside the program
$(OUT)/data.pack: FORCE
	$(Q)mkdir -p $(@D) && sh scripts/pack-data.sh data $(CURDIR)/$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(OUT)/matrix/files.o: $(OUT)/data.pack
$(OUT)/matrix/files.o: private DEFINE = -DMTX_PACK='"$(OUT)/data.pack"' -DMTX_PACK_SHA256='"$(shell sha256sum $(OUT)/data.pack | cut -c1-64)"'
$(LIB): $(call obj,$(LIB_SRC))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $^
$(BIN): $(call obj,$(CLI_SRC)) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
$(UNITS): %: %.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(PKG_LIBS)
$(RUNS): %: %.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
# with clang and BUILD=fuzz the engine drives a target, otherwise tests/fuzz/replay.c does
FUZZ_MAIN := $(if $(filter fuzz,$(BUILD)),,$(OUT)/tests/fuzz/replay.o)
$(FUZZ): %: %.o $(LIB) $(FUZZ_MAIN)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(if $(FUZZ_MAIN),,-fsanitize=fuzzer) -o $@ $< $(FUZZ_MAIN) $(LIB) $(PKG_LIBS)
$(call obj,$(FUZZ_SRC)): WARN += -Wno-missing-prototypes
-include $(patsubst %.o,%.d,$(call obj,$(LIB_SRC) $(CLI_SRC) $(UNIT_SRC) $(FUZZ_SRC) $(RUN_SRC)))

setup:
	$(Q)sh scripts/setup.sh build
test test-full:
	$(Q)sh scripts/setup.sh test
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=release all man
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=asan test-programs
	$(Q)FULL=$(if $(filter test-full,$@),1,$(FULL)) OUT=$(CURDIR)/build/release sh tests/run $(TESTS)
test-programs: $(UNITS) $(FUZZ) $(RUNS)
unit: $(BIN) $(UNITS)
	$(Q)set -e; for t in $(UNITS); do $$t; done
quickstart:
	$(Q)sh scripts/setup.sh build run
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=release all
	$(Q)GPUFERRY=build/release/gpuferry sh scripts/quickstart.sh
bench:
	$(Q)sh scripts/setup.sh bench
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=release all
	$(Q)set -e; for b in $(wildcard tests/bench/*.sh); do OUT=$(CURDIR)/build/release GPUFERRY=$(CURDIR)/build/release/gpuferry sh $$b; done
fuzz:
	$(Q)sh scripts/setup.sh fuzz
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=fuzz CC=clang fuzz-run
fuzz-run: $(FUZZ:%=%.run)
%_fuzz.run: %_fuzz
	$(Q)n=$(notdir $*); mkdir -p $(OUT)/found/$$n; echo "== $$n, $(SECONDS) s"; \
	  $< -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 -artifact_prefix=$(OUT)/$$n- \
	  $(OUT)/found/$$n tests/fuzz/corpus/$$n >$(OUT)/$$n.log 2>&1 || { tail -n 60 $(OUT)/$$n.log >&2; exit 1; }; \
	  sed -n "s/^stat::number_of_executed_units: */   $$n: runs /p" $(OUT)/$$n.log

lint: hdr-check layers symbols rules
hdr-check: $(HEADERS:%.h=$(OUT)/%.hco)
$(OUT)/%.hco: %.h $(OUT)/.flags
	$(Q)mkdir -p $(@D) && printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' $< $< | $(CC) $(ALL_CFLAGS) -x c -fsyntax-only - && touch $@
layers:
	$(Q)awk -f tests/lint/layers.awk tests/lint/layers $(LIB_SRC) $(CLI_SRC) $(HEADERS)
symbols: $(LIB) $(BIN)
	$(Q)sh tests/lint/symbols.sh $(OUT)
rules:
	$(Q)sh tests/lint/rules.sh
tidy:
	$(Q)clang-tidy --quiet $(LIB_SRC) $(CLI_SRC) -- $(filter-out -fno-common,$(ALL_CFLAGS))

man: $(MAN)
# a command's page gets its option table from the command itself
$(OUT)/man/%: doc/man/%.scd doc/man/options.awk $(BIN)
	$(Q)mkdir -p $(@D) && if ! command -v scdoc >/dev/null; then echo "  no scdoc: $(@F) is left out"; \
	  else case $* in gpuferry-*) c=$(*:gpuferry-%.1=%); $(BIN) $$c -h | awk -f doc/man/options.awk - $<;; *) cat $<;; esac | scdoc > $@; fi
install: $(BIN) $(MAN)
	install -D -m755 $(BIN) $(DESTDIR)$(PREFIX)/bin/gpuferry
	for m in $(MAN); do [ ! -e $$m ] || install -D -m644 $$m $(DESTDIR)$(PREFIX)/share/man/man1/$${m##*/} || exit 1; done
	for f in $(wildcard scripts/collect.sh scripts/health.sh); do install -D -m755 $$f $(DESTDIR)$(PREFIX)/share/gpuferry/$${f##*/} || exit 1; done
	for f in $(wildcard cli/completion/gpuferry.bash); do install -D -m644 $$f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gpuferry || exit 1; done
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/gpuferry $(MAN:$(OUT)/man/%=$(DESTDIR)$(PREFIX)/share/man/man1/%)
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gpuferry $(DESTDIR)$(PREFIX)/share/gpuferry/collect.sh $(DESTDIR)$(PREFIX)/share/gpuferry/health.sh
	rmdir $(DESTDIR)$(PREFIX)/share/gpuferry 2>/dev/null || :
dist:
	git archive --format=tar --prefix=gpuferry-$(VERSION)/ HEAD | gzip -n9 > $(or $(DIST),gpuferry-$(VERSION).tar.gz)
clean:
	rm -rf build
