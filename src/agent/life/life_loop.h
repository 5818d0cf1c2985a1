/*
 * life_loop.h - the finished files of a recording with loop=, and the removal of the oldest ones
 * (keep=).
 *
 * A file is removed only if its name still leads to that very file. If somebody has given the name
 * to another file, that file is left alone. Context: any, with the lock of life held.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct life_loop;
struct recording;

/**
 * Note the file of `r`, which is open, in *l; *l is made if it is NULL. Errors: 0; -ENOMEM: that
 * file will not be removed.
 */
int life_loop_add(struct life_loop **l, const struct recording *r);
/** Remove the oldest files until `most` are left. `l` may be NULL. */
void life_loop_keep(struct life_loop *l, uint32_t most);
/** Free the list; the files stay. */
void life_loop_free(struct life_loop *l);
