/*
 * jfr_pool.h - the constants of a chunk: for each type a map from keys to where the value lies.
 *
 * Values stay where they are in the file and are decoded when somebody asks for them. Of two values
 * for one key the one added last counts.
 * Memory: 16 bytes a slot, and between 1.4 and 3 slots a constant; marks: a byte a slot. A far
 * field that was asked for takes another slot of 32 bytes, for at least JFR_POOL_FAR of the file.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/leb.h"

/** Bytes of a constant from its beginning to a field: more of them are passed over once. */
enum { JFR_POOL_FAR = 512 };

struct jfr_metadata;
struct jfr_notes;
struct jfr_pool;
struct jfr_type;

struct jfr_pools {
    const struct jfr_metadata *metadata; /* borrowed */
    struct jfr_pool *by_type;            /* by jfr_type.number */
    struct jfr_notes *notes;             /* where far fields of constants lie; NULL: no pools */
    uint64_t seed; /* drawn at random: no file can be made whose keys collide */
};

/** Errors: 0, -ENOMEM. Owner: jfr_pool_done(), also after an error. */
int jfr_pool_init(struct jfr_pools *p, const struct jfr_metadata *metadata);
void jfr_pool_done(struct jfr_pools *p);
/**
 * Adds the constants of a checkpoint; `payload` is what follows its size and type.
 * Errors: 0; E_FORMAT or E_TRUNCATED, and what came before is there; -ENOMEM.
 */
int jfr_pool_add(struct jfr_pools *p, struct leb payload);
/** A number whose low bits nobody who makes a file can foresee: of a key, for a table. */
uint64_t jfr_pool_mix(const struct jfr_pools *p, uint64_t key);
/** Where the value of a key begins; NULL: no such constant, or no constants were read. */
const uint8_t *jfr_pool_find(const struct jfr_pools *p, const struct jfr_type *type, uint64_t key);
/**
 * Marks a key. Returns 1 and where its value begins; 0: there is none, or it had its mark; -ENOMEM.
 * No constants may be added after.
 */
int jfr_pool_mark(struct jfr_pools *p, const struct jfr_type *type, uint64_t key,
                  const uint8_t **ret_value);
/** Takes all marks back. */
void jfr_pool_unmark_all(struct jfr_pools *p);
/** Moves `l`, at the beginning of a constant or of a structure within one, to field `number` of
 * that type, if it was noted where that lies. */
bool jfr_pool_again(const struct jfr_pools *p, const struct jfr_type *type, uint32_t number,
                    struct leb *l);
/** Notes that it lies at `at`. Without memory nothing is noted. */
void jfr_pool_note(const struct jfr_pools *p, const struct jfr_type *type, uint32_t number,
                   const uint8_t *from, const uint8_t *at);
/** How many keys the pool of a type has. */
size_t jfr_pool_count(const struct jfr_pools *p, const struct jfr_type *type);
