/*
 * frozen_sites.h - which site each object of the frozen heap is from.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct frozen;

struct frozen_sites {
    uint32_t *rows;   /* in the child: the site of the object at each place of the heap; NULL */
    jvmtiEnv *walker; /* whose tags the walk sees: ours, or those of who watches allocations */
    bool must_walk;   /* a table of tags could not be read: no more tries */
};

bool frozen_sites_wanted(const struct frozen *f);
/** Memory for them, if they are wanted, and who walks. Context: java. */
void frozen_sites_take(struct frozen *f);
void frozen_sites_forget(struct frozen *f);
/** The walk goes on in the child to find the sites. */
bool frozen_sites_by_walk(const struct frozen *f);
/**
 * In the child: find the sites of all objects in the table of tags that the VM keeps.
 * Errors: 0; E_FACT_MISSING it does not look as expected, and no site is known.
 */
int frozen_sites_read(struct frozen *f);
/** In the child: an object's tag is its site. */
void frozen_sites_note(struct frozen *f, uint64_t object, int64_t tag);
