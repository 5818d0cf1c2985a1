/*
 * jfr_view_all.h - the words of `hprof jfr view` that stand for more than one table: all-views,
 * all-events and types, as the JDK's tool has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jfr_view;

/** Whether the name is one of these words. */
bool jfr_view_all_is(const char *name);
/** Prints what the word says of the file. Returns an enum cmd_status. */
int jfr_view_all_print(const struct jfr_view *view, const char *path);
/** A line for each of the words. */
void jfr_view_all_list(void);
