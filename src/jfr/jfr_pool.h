/*
 * jfr_pool.h - the constants of a chunk: for each type a map from a key to the place of the value.
 *
 * Values stay in the file and are decoded when they are needed. If a key has two values, the one
 * added last counts.
 * Memory: 16 bytes a slot, and 1.4 to 3 slots a constant; marks: a byte a slot. When a reader has
 * asked for a field that lies far from the beginning of its constant, the place is noted in one
 * more slot of 32 bytes; such a field has at least JFR_POOL_FAR bytes of the file in front of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/leb.h"

/**
 * A field is far if more than JFR_POOL_FAR bytes of its constant are in front of it. These bytes
 * are skipped only once.
 */
enum { JFR_POOL_FAR = 512 };

struct jfr_budget;
struct jfr_metadata;
struct jfr_notes;
struct jfr_pool;
struct jfr_type;

struct jfr_pools {
    const struct jfr_metadata *metadata; /* borrowed */
    struct jfr_budget *budget;           /* borrowed; NULL: no budget */
    struct jfr_pool *by_type;            /* the index is jfr_type.number */
    struct jfr_notes *notes;             /* places of far fields of constants; NULL: no pools */
    uint64_t seed;                       /* random, so nobody can make a file whose keys collide */
};

/** Errors: 0, -ENOMEM. Owner: jfr_pool_done(), also after an error. All but the marks is taken from
 * the budget if there is one. */
int jfr_pool_init(struct jfr_pools *p, const struct jfr_metadata *metadata,
                  struct jfr_budget *budget);
void jfr_pool_done(struct jfr_pools *p);
/**
 * Adds the constants of a checkpoint; `payload` begins after the size and type of the record.
 *
 * Errors:  0; E_FORMAT or E_TRUNCATED: the constants in front of the error were added; -ENOMEM.
 */
int jfr_pool_add(struct jfr_pools *p, struct leb payload);
/** Hash of a key, for a table. Its low bits depend on the seed, so nobody who makes a file can
 * predict them. */
uint64_t jfr_pool_mix(const struct jfr_pools *p, uint64_t key);
/**
 * The beginning of the value of a key; NULL: there is no such constant, or no constants were read.
 */
const uint8_t *jfr_pool_find(const struct jfr_pools *p, const struct jfr_type *type, uint64_t key);
/**
 * Marks a key. Returns 1 and where its value begins; 0: there is no such key, or it was marked
 * already; -ENOMEM. After the first mark no constants may be added.
 */
int jfr_pool_mark(struct jfr_pools *p, const struct jfr_type *type, uint64_t key,
                  const uint8_t **ret_value);
/** Removes all marks. */
void jfr_pool_unmark_all(struct jfr_pools *p);
/** If the place of field `number` of the type was noted, moves `l` there and returns true. `l` is
 * at the beginning of a constant, or of a structure inside a constant. */
bool jfr_pool_again(const struct jfr_pools *p, const struct jfr_type *type, uint32_t number,
                    struct leb *l);
/** Notes that field `number` of the structure that begins at `from` lies at `at`. Does nothing if
 * there is no memory; if the budget has no more, it is short from then on. */
void jfr_pool_note(const struct jfr_pools *p, const struct jfr_type *type, uint32_t number,
                   const uint8_t *from, const uint8_t *at);
/** How many keys the pool of a type has. */
size_t jfr_pool_count(const struct jfr_pools *p, const struct jfr_type *type);
