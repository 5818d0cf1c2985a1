/*
 * decoded.h - what an object of a well-known class means: a String, a number in an object, an
 * Optional, a collection, a buffer of java.nio, a class.
 *
 * Without it the answer to `show` would be the private fields of a JDK, which differ from one JDK
 * to the next. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph.h"

struct heapanswer;

/** How it is told. */
struct decoded_how {
    uint32_t rows;    /* elements of a collection at most */
    bool with_values; /* contents of strings, numbers and buffers, too */
};

/**
 * Writes what is known of the object, in JSON as a member "decoded". Writes nothing if its class is
 * not one of these.
 *
 * Errors: 0; E_LIMIT: no memory; -errno.
 */
int decoded_put(struct heapanswer *a, struct graph *g, const struct graph_info *object,
                const struct decoded_how *how);
