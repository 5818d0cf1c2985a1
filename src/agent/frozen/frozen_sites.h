/*
 * frozen_sites.h - which site each object of the frozen heap is from.
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
    bool are_wanted;  /* if somebody knows them */
    uint32_t *rows;   /* in the child: the site of the object at each place of the heap; NULL */
    jvmtiEnv *walker; /* whose tags the walk sees: ours, or those of who watches allocations */
    bool must_walk;   /* a table of tags could not be read: no more tries */
    bool tests_walk;  /* a test asks for that */
};

/** Whether sites are wanted, and there is somebody who knows them. */
bool frozen_sites_wanted(const struct frozen_sites *s, const struct frozen_vm *v);
/** Memory for the sites, if they are wanted, and who walks. `what` is made of the heap, for
 * messages. Context: java. */
void frozen_sites_take(struct frozen_sites *s, const struct frozen_vm *v, const char *what);
void frozen_sites_forget(struct frozen_sites *s, const struct frozen_vm *v);
/** Whether the walk goes on in the child to find the sites. */
bool frozen_sites_by_walk(const struct frozen_sites *s, const struct frozen_vm *v);
/**
 * In the child: find the sites of all objects in the table of tags that the VM keeps.
 * Errors: 0; E_FACT_MISSING it does not look as expected, and no site is known.
 */
int frozen_sites_read(struct frozen_sites *s, struct frozen_vm *v, struct frozen_status *status);
/** In the child: an object's tag is its site. */
void frozen_sites_note(struct frozen_sites *s, const struct heap *heap, uint64_t object,
                       int64_t tag);
