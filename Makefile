# A thin front of Meson. `make` builds, `make demo` shows, `make test` proves; demo and test install what is missing.
# build/libhprof.so, build/hprof and the others are links to where Meson puts them.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
export DESTDIR
# Where the dynamic linker of this system looks, below PREFIX.
LIBDIR ?= $(shell CC=$(CC) tools/libdir)
# What is shipped is built apart, so that it names no folder of this machine.
SHIP_BUILD ?= build-ship
SHIP ?= dist
# CROSS=aarch64 builds for that CPU, in a folder of its own, and `make test` runs what was built under emulation: docs/aarch64.md.
CROSS ?=
ifneq ($(CROSS),)
BUILD = build-$(CROSS)
endif
programs = src/agent/libhprof.so src/asgst/libasgst.so.1 src/asgct/libasgct.so src/jvmpi/libjvmpi.so src/jfrlib/libhprofjfr.so.1 src/cli/hprof

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)
	@for file in $(programs); do ln -sfn $$file $(BUILD)/; done
	@ln -sfn libasgst.so.1 $(BUILD)/libasgst.so
	@ln -sfn libhprofjfr.so.1 $(BUILD)/libhprofjfr.so
	@test ! -f $(BUILD)/src/cli/hprof-static || ln -sfn src/cli/hprof-static $(BUILD)/
	@test ! -f $(BUILD)/src/jar/hprof.jar || ln -sfn src/jar/hprof.jar $(BUILD)/

$(BUILD)/build.ninja:
ifeq ($(CROSS),)
	meson setup $(BUILD)
else
	@tools/bootstrap cross
	tools/setup-cross $(CROSS) $(BUILD)
endif

# Builds only the two programs that it runs: the rest, the tests among it, takes longer than these.
demo:
	@tools/bootstrap demo
	@$(MAKE) -s $(BUILD)/build.ninja
	@ninja -C $(BUILD) src/agent/libhprof.so src/cli/hprof
	@ln -sfn src/agent/libhprof.so src/cli/hprof $(BUILD)/
	@tools/demo $(BUILD)

# In CI all the JDKs must be there; elsewhere a missing one is named and its tests are skipped.
# test-all runs every case on every JDK; test a part that CONTRIBUTING.md describes.
test:
	@tools/bootstrap test
	@tools/test-jdks $(if $(CI),--require)
ifneq ($(CROSS),)
	@tools/bootstrap cross
	@tools/test-aarch64 $(if $(CI),--require)
endif
	$(MAKE) all
	tests/run $(if $(CROSS),--cross) $(BUILD)

test-all:
	@tools/bootstrap test-all
	@tools/test-jdks --all $(if $(CI),--require)
	$(MAKE) all
	tests/run --all $(if $(RESUME),--resume) $(BUILD)

# On a machine that may be changed: what is shipped is made, installed, used and taken away.
test-shipped:
	@tools/bootstrap shipped
	$(MAKE) all dist deb
	tests/ship/machine $(SHIP)
# On a machine of a kind that nobody has tried: an hour, and a page in $(BUILD)/hardware.txt. See docs/aarch64.md.
test-hardware:
	@tools/bootstrap test
	@tools/test-jdks
	$(MAKE) all
	tests/hardware $(BUILD)

check: all
	tests/check/run $(BUILD)

# The debug information stays in the build folder.
install: all
	meson configure $(BUILD) -Dprefix=$(PREFIX) -Dlibdir=$(LIBDIR)
	ninja -C $(BUILD)
	tools/ship/install $(BUILD) $(PREFIX) "$(DESTDIR)"

uninstall:
	tools/ship/install --uninstall $(PREFIX) "$(DESTDIR)"

# Archives, Debian packages, a container image, a Maven repository, the documents as a site: docs/packages.md.
dist:
	tools/ship/dist $(SHIP_BUILD) $(SHIP)

deb:
	tools/ship/deb $(SHIP_BUILD) $(SHIP)

image:
	tools/ship/image $(SHIP_BUILD) $(SHIP)/hprof-image.tar

maven:
	tools/ship/maven $(SHIP_BUILD) $(SHIP)/maven $(OTHER_CPUS)

# Of the programs it needs the command alone, which knows the events of JFR.
site:
	@tools/bootstrap site
	@$(MAKE) -s $(BUILD)/build.ninja
	@ninja -C $(BUILD) src/cli/hprof
	tools/site/build $(BUILD) $(SHIP)/site

clean:
	rm -rf build build-asan build-tsan build-ship dist java.hprof.txt java.hprof.html

.PHONY: all demo test test-all test-shipped test-hardware check install uninstall dist deb image maven site clean
