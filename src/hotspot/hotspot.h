/*
 * hotspot.h - one HotSpot VM: its library's file, its layout, its memory.
 *
 * The agent (own process) and the command (another process, a core file) begin here.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "elf/elf_file.h"
#include "safe/hs_memory.h"

struct hotspot {
    struct mem *mem;
    struct elf_file libjvm;
    uint64_t bias; /* add this to an address of the file */
    struct hs_layout layout;
    struct hs_memory memory; /* both, for walks; the own process has all that walks can use */
};

/**
 * Open the VM of this process for ordinary reads. No signal handler is changed, unless the system
 * forbids every other way to read. `groups` means the same as in layout.h.
 * Errors:  0; E_FACT_MISSING, and *ret_missing names the fact (static text); E_NOT_FOUND no
 *          libjvm.so; -errno.
 * Owner:   hotspot_close(); the layout must outlive the last walk.
 */
int hotspot_open_own(unsigned groups, struct hotspot **ret_hotspot, const char **ret_missing);

/** Make hotspot_open_own() refuse each of these groups from now on. For tests. */
void hotspot_refuse_own(unsigned groups);

/** Open a VM in any memory. `libjvm` is the file of its library (taken over, also on failure),
 * `bias` its bias. Errors and owner as hotspot_open_own(). */
int hotspot_open(struct mem *m, struct elf_file *libjvm, uint64_t bias, unsigned groups,
                 struct hotspot **ret_hotspot, const char **ret_missing);

void hotspot_close(struct hotspot *h);

/**
 * The distance from a JavaThread to its JNIEnv, which is the same for all threads of a VM. It is
 * `env - eetop`, learnt once from a thread whose java.lang.Thread.eetop is known. The JavaThread of
 * any other thread is then its env less the distance. Returns 0 if `env` and `eetop` do not fit
 * together.
 */
uint64_t hotspot_env_offset(const struct hotspot *h, uint64_t env, uint64_t eetop);
