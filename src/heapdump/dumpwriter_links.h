/*
 * dumpwriter_links.h - what a class refers to besides its statics: loader, signers, protection
 * domain, constants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "heapdump/dumpwriter.h"
#include "heapwalk/heap_constants.h"

enum { DUMPWRITER_LINKS_HIDDEN = 8 };

struct dumpwriter_links {
    struct heap_constants constants;
    bool has_constants;
    uint32_t loader, signers, domain; /* offsets of fields of a mirror; 0 none of that name */
    /* References in a mirror that are no field of Java: what they are is seen by what is there. */
    const struct heap_class *domain_class; /* NULL not loaded */
    uint32_t hidden[DUMPWRITER_LINKS_HIDDEN], hidden_count;
};

/** Learn where they are. Errors: 0; -ENOMEM. What is not found is left out. */
int dumpwriter_links_init(struct dumpwriter *w, struct dumpwriter_links *l);
/** Fill in the record of a class. Errors: 0; -ENOMEM. */
int dumpwriter_links_fill(struct dumpwriter *w, struct dumpwriter_links *l,
                          const struct heap_class *k, struct hprof_heap_class *out);
