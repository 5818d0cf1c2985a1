/*
 * life_loop.h - the finished files of a recording that begins a new one now and then (loop=), and
 * the removal of the oldest (keep=).
 *
 * Removed is what still has the name under which it was written, and is that very file; a name that
 * somebody has given to another file since is left alone. Context: any, with the lock of life held.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct life_loop;
struct recording;

/** Notes the file of `r`, which is open, in *l, which is made if it is NULL. Errors: 0; -ENOMEM:
 * that file will stay. */
int life_loop_add(struct life_loop **l, const struct recording *r);
/** Removes the oldest until `most` are left. `l` may be NULL. */
void life_loop_keep(struct life_loop *l, uint32_t most);
/** Forgets them. */
void life_loop_free(struct life_loop *l);
