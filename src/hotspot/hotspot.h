/*
 * hotspot.h - one HotSpot VM: its library's file, its layout, its memory.
 *
 * The entrance for the agent (own process) and the command (another process, a core).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "elf/elf_file.h"
#include "safe/hs_memory.h"

struct hotspot {
    struct mem *mem;
    struct elf_file libjvm;
    uint64_t bias; /* what to add to addresses of the file */
    struct hs_layout layout;
    struct hs_memory memory; /* both, for walks; of the own process with all that they can use */
};

/**
 * Open the VM of this process for reading at leisure: no signal handler is changed unless the
 * system forbids every other way. `groups` as of layout.h.
 * Errors: 0; E_FACT_MISSING with *ret_missing naming it (static text); E_NOT_FOUND no libjvm.so;
 *         -errno.
 * Owner:  hotspot_close(); the layout must outlive the last walk.
 */
int hotspot_open_own(unsigned groups, struct hotspot **ret_hotspot, const char **ret_missing);

/** For tests: from now on hotspot_open_own() refuses each of these groups. */
void hotspot_refuse_own(unsigned groups);

/** Open a VM in any memory, given its library's file (taken over, also on failure) and bias. Errors
 * and owner as above. */
int hotspot_open(struct mem *m, struct elf_file *libjvm, uint64_t bias, unsigned groups,
                 struct hotspot **ret_hotspot, const char **ret_missing);

void hotspot_close(struct hotspot *h);

/**
 * The distance from a JavaThread to its JNIEnv: the same for all threads of a VM. Learn it once
 * from a thread whose java.lang.Thread.eetop is known: `env - eetop`; then a thread's JavaThread is
 * its env less the distance. 0 if the two do not fit together.
 */
uint64_t hotspot_env_offset(const struct hotspot *h, uint64_t env, uint64_t eetop);
