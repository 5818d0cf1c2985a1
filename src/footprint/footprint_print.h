/*
 * footprint_print.h - writes a reading as a table or as JSON.
 *
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct footprint;
struct footprint_nmt;
struct sink;

/** What glibc itself says of malloc(), in bytes. `mapped`: blocks that are mappings of their own.
 */
struct footprint_kept {
    uint64_t taken, used, kept, mapped;
    bool is_trimmed;
    uint64_t resident_before, resident_after, kept_after; /* it gave free memory back */
};

/** What the JVM was asked for; NULL: it was not. */
struct footprint_asked {
    const struct footprint_nmt *nmt;
    const struct footprint_kept *kept;
};

/** Write the table. `name` is that of the JVM in messages. Lists have at most `top` rows. */
void footprint_print_text(struct sink *out, const struct footprint *f, const char *name,
                          uint32_t top, const struct footprint_asked *asked);
/** Write an object of JSON. `main` is the main class or jar; NULL: not known. */
void footprint_print_json(struct sink *out, const struct footprint *f, const char *main,
                          const struct footprint_asked *asked);
