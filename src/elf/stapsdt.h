/*
 * stapsdt.h - the probes that a library carries (USDT): places in its code at which a debugger or a
 * kernel may look, with the places of their arguments.
 *
 * A probe is a note in the section .note.stapsdt: the address of a one-byte instruction that does
 * nothing, the address of a counter that must not be 0 while somebody looks (0: the probe has
 * none), a provider, a name and the descriptors of the arguments (stapsdt_arg.h). Several sites may
 * have one name. A note that is damaged is left out, and a site that is not in code, too. Source:
 * SystemTap's sys/sdt.h (STAP_SDT_V3); its wiki page UserSpaceProbeImplementation. Context of
 * everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "elf/elf_file.h"

struct stapsdt_site {
    const char *provider, *name, *args; /* in the file; each ends with a 0 */
    uint64_t offset;                    /* of the instruction in the file */
    uint64_t semaphore;                 /* offset of the counter in the file; 0: none */
};

/** The place of a reader. All zero: in front of the first site. */
struct stapsdt_at {
    unsigned section;
    uint64_t offset;
    uint64_t base; /* where the section is to which the notes' addresses refer */
    bool has_base; /* `base` was looked for */
    uint32_t count;
};

/** Read the next site. Returns 1, or 0 if there is none. The site points into the file. */
int stapsdt_next(const struct elf_file *f, struct stapsdt_at *at, struct stapsdt_site *ret_site);
