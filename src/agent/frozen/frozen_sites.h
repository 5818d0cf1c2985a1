/*
 * frozen_sites.h - the allocation site of each object of the frozen heap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct frozen_status;
struct frozen_vm;
struct heap;

struct frozen_sites {
    bool are_wanted;  /* the caller wants sites, if allocations are tracked */
    uint32_t *rows;   /* in the child: a site for each 8 bytes of the heap; NULL: no sites */
    jvmtiEnv *walker; /* the environment that walks: the one of frozen_vm.h or the one of alloc.h */
    bool must_walk;   /* the table of tags could not be read, so it is not tried again */
    bool tests_walk;  /* a test asks for the walk */
};

/** Whether sites are wanted, and allocations are tracked. */
bool frozen_sites_wanted(const struct frozen_sites *s, const struct frozen_vm *v);
/** Take memory for the sites, if they are wanted, and choose the environment that walks. `what`
 * names the result for messages, for example "heap dump". Context: java. */
void frozen_sites_take(struct frozen_sites *s, const struct frozen_vm *v, const char *what);
void frozen_sites_forget(struct frozen_sites *s, const struct frozen_vm *v);
/** Whether the walk goes on in the child to get the sites. */
bool frozen_sites_by_walk(const struct frozen_sites *s, const struct frozen_vm *v);
/**
 * In the child: read the sites of all objects from the VM's table of tags.
 * Errors: 0; E_FACT_MISSING: the table does not look as expected, and no site is known.
 */
int frozen_sites_read(struct frozen_sites *s, struct frozen_vm *v, struct frozen_status *status);
/** In the child: note the site of an object, which its tag names. */
void frozen_sites_note(struct frozen_sites *s, const struct heap *heap, uint64_t object,
                       int64_t tag);
