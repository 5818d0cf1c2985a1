# A thin front of Meson. `make` builds, `make demo` shows, `make test` proves; both install what is missing.
BUILD ?= build

all:
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD)
	ninja -C $(BUILD)
.PHONY: all
