/*
 * jfr_fit.h - fits a table into a width, and cuts or breaks cells that do not fit.
 *
 * The words are those of the JDK's `jfr view`: --width, --truncate, --cell-height.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_printer;

struct jfr_fit {
    uint32_t width;       /* width of a table in characters; 0: as wide as needed, nothing is cut */
    uint32_t cell_height; /* greatest number of lines of a cell; 0: one */
    bool cuts_beginning;  /* cut the beginning of a text that is too long; false: cut its end */
};

enum { JFR_FIT_GAP = 2 }; /* blanks between two columns */

/** The number of characters of a text. */
size_t jfr_fit_length(const char *text, size_t len);
/** The number of characters of the longest line. */
size_t jfr_fit_longest(const char *text);
/**
 * Makes columns narrower, the widest first, until all fit. Columns for which `keeps` is true stay
 * as they are (NULL: none). Returns 0; otherwise the width that is needed at least, and no column
 * was changed.
 */
size_t jfr_fit_widths(const struct jfr_fit *l, size_t *widths, const bool *keeps, uint32_t count);
/**
 * Prints a row. `cells` holds `count` texts, each with a NUL at its end. Cells for which `is_right`
 * is true are aligned to the right (NULL: none). Returns the address after the cells. Errors stay
 * in o->text.
 */
const char *jfr_fit_row(const struct jfr_fit *l, struct jfr_printer *o, const char *cells,
                        const size_t *widths, const bool *is_right, uint32_t count);
/** Prints a text in at most `lines` lines of `width` characters, and a line end. Each line but the
 * first begins with `indent` blanks. */
void jfr_fit_text(const struct jfr_fit *l, struct jfr_printer *o, const char *text, size_t width,
                  uint32_t lines, size_t indent);
/** Says that a table has more columns than fit. */
void jfr_fit_refuse(const struct jfr_fit *l, struct jfr_printer *o, size_t needed);
