/*
 * jfr_fit.h - how wide a table may be, and what becomes of cells that do not fit.
 *
 * The words are those of the JDK's `jfr view`: --width, --truncate, --cell-height.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_printer;

struct jfr_fit {
    uint32_t width;       /* of a table, in characters; 0: what it needs, and nothing is cut */
    uint32_t cell_height; /* so many lines of a cell at most; 0: one */
    bool cuts_beginning;  /* text that is too long loses its beginning; else its end */
};

enum { JFR_FIT_GAP = 2 }; /* blanks between two columns */

/** The characters of a text. */
size_t jfr_fit_length(const char *text, size_t len);
/** The characters of the longest of its lines. */
size_t jfr_fit_longest(const char *text);
/**
 * Makes columns narrower, the widest first, until all fit; those for which `keeps` is true (NULL:
 * none) stay as they are. Returns 0, or how many characters are needed at least; then no width was
 * changed.
 */
size_t jfr_fit_widths(const struct jfr_fit *l, size_t *widths, const bool *keeps, uint32_t count);
/**
 * Prints a row: `cells` are `count` texts with a NUL behind each. Cells for which `is_right` is
 * true (NULL: none) stand to the right. Returns what lies behind the cells. Errors stay in o->text.
 */
const char *jfr_fit_row(const struct jfr_fit *l, struct jfr_printer *o, const char *cells,
                        const size_t *widths, const bool *is_right, uint32_t count);
/** Prints a text in up to `lines` lines of `width` characters, each but the first behind `indent`
 * blanks, and a line end. */
void jfr_fit_text(const struct jfr_fit *l, struct jfr_printer *o, const char *text, size_t width,
                  uint32_t lines, size_t indent);
/** Says that a table has more columns than fit. */
void jfr_fit_refuse(const struct jfr_fit *l, struct jfr_printer *o, size_t needed);
