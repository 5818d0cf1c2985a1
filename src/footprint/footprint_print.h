/*
 * footprint_print.h - writes a reading as a table or as JSON.
 *
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct footprint;
struct footprint_nmt;
struct sink;

/** Write the table. `name` is that of the JVM in messages. Lists have at most `top` rows. `nmt`:
 * NULL if it was not asked for. */
void footprint_print_text(struct sink *out, const struct footprint *f, const char *name,
                          uint32_t top, const struct footprint_nmt *nmt);
/** Write an object of JSON. `main` is the main class or jar; NULL: not known. */
void footprint_print_json(struct sink *out, const struct footprint *f, const char *main,
                          const struct footprint_nmt *nmt);
