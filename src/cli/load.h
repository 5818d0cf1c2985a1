/*
 * load.h - one profile file, read into the model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct format;
struct profile;

struct load {
    const struct format *format; /* what it turned out to be */
    struct profile *profile;     /* what was read, also of a damaged file */
    bool damaged;                /* and that has been said */
};

/**
 * Reads the file at `path`; `format` NULL: recognised by its content. A damaged file is no error:
 * what came before the damage is in the model and `damaged` is set.
 * Errors: 0, or negative after saying why. Owner: load_close(), also after an error.
 */
int load_open(const char *path, const struct format *format, struct load *ret_load);
void load_close(struct load *load);
