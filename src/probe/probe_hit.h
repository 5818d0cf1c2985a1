/*
 * probe_hit.h - the arguments of one hit of a probe, decoded by the descriptors of its note.
 *
 * An argument in a register is that of the hit. One on the thread's stack is, too, as the kernel
 * has copied the top of it. One in other memory, and the bytes of a text, are read when the hit is
 * read, some milliseconds later; a text that the VM has given back by then is not read at all.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "elf/stapsdt_arg.h"
#include "probe/probe_known.h"
#include "probe/probe_ring.h"

enum { PROBE_HIT_FIELDS = 12, PROBE_HIT_TEXT = 256 };

struct mem_live;
struct sink;

/** The fields of a probe's site. */
struct probe_hit_form {
    const char *provider, *name;
    unsigned count; /* of fields */
    struct {
        struct probe_known_field known;
        struct stapsdt_arg at, len; /* `len` of texts */
        bool is_known;              /* the descriptors were understood */
    } fields[PROBE_HIT_FIELDS];
    uint64_t registers; /* that the descriptors need */
    bool has_stack;     /* a descriptor is relative to the stack */
};

/** The value of a field. */
struct probe_hit_value {
    enum { PROBE_HIT_NONE, PROBE_HIT_NUMBER, PROBE_HIT_SIGNED, PROBE_HIT_TEXT_VALUE } is;
    uint64_t number;
    char text[PROBE_HIT_TEXT + 1]; /* PROBE_HIT_TEXT_VALUE */
    uint32_t len;
};

/** What is known of a site. All texts are borrowed. */
struct probe_hit_source {
    const char *provider, *name;
    const char *args;  /* descriptors */
    const char *words; /* for the arguments; NULL: those of probe_known.def */
    unsigned machine;  /* e_machine of ELF */
};

/** Read the descriptors of a site. */
void probe_hit_form(const struct probe_hit_source *of, struct probe_hit_form *ret);
/** The first `count` fields as they stand in registers and memory: a number for each, of a text its
 * address and its length. A part that cannot be read is 0, and so is what has no room. */
void probe_hit_raw(const struct probe_hit_form *form, unsigned count,
                   const struct probe_ring_hit *hit, struct mem_live *live, uint64_t *ret,
                   unsigned room);
/** The field with the index `i`. `live`: the process, for memory that the kernel did not copy. */
void probe_hit_value(const struct probe_hit_form *form, unsigned i,
                     const struct probe_ring_hit *hit, struct mem_live *live,
                     struct probe_hit_value *ret);
/** Write a value as JSON, or as text in which a text stands as it is. */
void probe_hit_put(struct sink *out, const struct probe_hit_value *value, bool is_json);
