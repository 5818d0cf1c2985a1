/*
 * dumpwriter_links.h - what a class references besides its static fields: loader, signers,
 * protection domain, constants.
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
    /* offsets of these fields in a mirror; 0: there is no field with this name */
    uint32_t loader, signers, domain;
    /* References in a mirror that are no Java fields. The class of the object there tells what the
     * reference is. */
    const struct heap_class *domain_class; /* NULL: not loaded */
    uint32_t hidden[DUMPWRITER_LINKS_HIDDEN], hidden_count;
};

/** Find the fields. What is not found is left out later. Errors: 0; -ENOMEM. */
int dumpwriter_links_init(struct dumpwriter *w, struct dumpwriter_links *l);
/** Fill in these parts of the record of a class. Errors: 0; -ENOMEM. */
int dumpwriter_links_fill(struct dumpwriter *w, struct dumpwriter_links *l,
                          const struct heap_class *k, struct hprof_heap_class *out);
