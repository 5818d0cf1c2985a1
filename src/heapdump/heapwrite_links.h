/*
 * heapwrite_links.h - what a class refers to besides its statics: loader, signers, protection
 * domain, constants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapdump/heapwrite.h"
#include "hotspot/heap_constants.h"

enum { HEAPWRITE_LINKS_HIDDEN = 8 };

struct heapwrite_links {
    struct heap_constants constants;
    int has_constants;
    uint32_t loader, signers, domain; /* offsets of fields of a mirror; 0 none of that name */
    /* References in a mirror that are no field of Java: what they are is seen by what is there. */
    const struct heap_class *domain_class; /* NULL not loaded */
    uint32_t hidden[HEAPWRITE_LINKS_HIDDEN], hidden_count;
};

/** Learn where they are. Errors: 0; -ENOMEM. What is not found is left out. */
int heapwrite_links_init(struct heapwrite *w, struct heapwrite_links *l);
/** Fill in the record of a class. Errors: 0; -ENOMEM. */
int heapwrite_links_fill(struct heapwrite *w, struct heapwrite_links *l, const struct heap_class *k,
                         struct hprof_heap_class *out);
