/*
 * zpack.h - packs pieces of memory by zstd, each as one frame. A program that was built without
 * zstd leaves them as they are.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** Zeroed: as after zpack_done(). */
struct zpack {
    void *context;
    char *bytes;
    size_t room;
};

/** Whether this program packs at all. */
bool zpack_packs(void);
/** Packs *bytes: afterwards they point to the packed ones, valid until the next call. Errors: 0;
 * -ENOMEM. */
int zpack_pack(struct zpack *z, const char **bytes, size_t *len);
void zpack_done(struct zpack *z);
