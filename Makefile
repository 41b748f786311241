# One non-recursive Makefile. make | make test | make quickstart | make BUILD=asan unit | make lint | make fuzz | make bench | make install | make dist
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

.DELETE_ON_ERROR:
.PHONY: all unit lint hdr-check layers symbols tidy install uninstall dist clean FORCE
all: $(BIN)

# objects are rebuilt when flags change: the flags file is touched only if its text differs
$(OUT)/.flags: FORCE
	$(Q)mkdir -p $(OUT) && printf '%s\n' "$(CC) $(subst ",,$(ALL_CFLAGS))" | cmp -s - $@ || printf '%s\n' "$(CC) $(subst ",,$(ALL_CFLAGS))" > $@
$(OUT)/%.o: %.c $(OUT)/.flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(LIB): $(call obj,$(LIB_SRC))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $^
$(BIN): $(call obj,$(CLI_SRC)) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
$(UNITS): %: %.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(PKG_LIBS)
-include $(patsubst %.o,%.d,$(call obj,$(LIB_SRC) $(CLI_SRC) $(UNIT_SRC)))

unit: $(BIN) $(UNITS)
	$(Q)set -e; for t in $(UNITS); do $$t; done
lint: hdr-check layers symbols
hdr-check: $(HEADERS:%.h=$(OUT)/%.hco)
$(OUT)/%.hco: %.h
	$(Q)mkdir -p $(@D) && printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' $< $< | $(CC) $(ALL_CFLAGS) -x c -fsyntax-only - && touch $@
layers:
	$(Q)awk -f tests/lint/layers.awk tests/lint/layers $(LIB_SRC) $(CLI_SRC) $(HEADERS)
symbols: $(LIB) $(BIN)
	$(Q)sh tests/lint/symbols.sh $(OUT)
tidy:
	$(Q)clang-tidy --quiet $(LIB_SRC) $(CLI_SRC) -- $(filter-out -fno-common,$(ALL_CFLAGS))
install: $(BIN)
	install -D -m755 $(BIN) $(DESTDIR)$(PREFIX)/bin/gpuferry
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/gpuferry
dist:
	git archive --format=tar --prefix=gpuferry-$(VERSION)/ HEAD | gzip -n9 > gpuferry-$(VERSION).tar.gz
clean:
	rm -rf build
