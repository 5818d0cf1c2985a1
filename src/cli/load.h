/*
 * load.h - one profile file, read into the model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct format;
struct profile;

struct load {
    const struct format *format; /* what it turned out to be */
    struct profile *profile;     /* what was read, also of a damaged file */
    bool damaged;                /* and that has been said */
};

/**
 * Reads the file at `path`, which may be packed by gzip; `format` NULL: recognised by its content.
 * A damaged file is no error: what came before the damage is in the model and `damaged` is set.
 * `memory` bytes are used at most, 0 as many as it takes, of a stream or a packed file half of what
 * the machine has left: where they do not suffice the smallest
 * stacks become one, if the format allows that, and are counted.
 * `with_threads`: of formats that have the choice, stacks by thread.
 * Errors: 0, or negative after saying why. Owner: load_close(), also after an error.
 */
int load_open(const char *path, const struct format *format, uint64_t memory, bool with_threads,
              struct load *ret_load);
void load_close(struct load *load);
