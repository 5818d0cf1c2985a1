/*
 * jfr_budget.h - a bound for the memory that the reader of a JFR file takes.
 *
 * Who opens the file gives the bound; the command gives none. What does not fit is not taken, and
 * is_short says so, because the functions themselves only say -ENOMEM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct feed;

struct jfr_budget {
    size_t limit, taken;     /* bytes */
    const struct feed *feed; /* the bytes that it holds count, too; NULL: none do */
    bool is_short;           /* something needed more than was left */
};

/** How many bytes may still be taken. SIZE_MAX if `b` is NULL. */
size_t jfr_budget_left(const struct jfr_budget *b);
/** Takes bytes. False: so many are not left; then is_short is set. */
bool jfr_budget_take(struct jfr_budget *b, size_t bytes);
/** Gives bytes back that were taken. */
void jfr_budget_give(struct jfr_budget *b, size_t bytes);
