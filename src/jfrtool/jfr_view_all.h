/*
 * jfr_view_all.h - the words of `hprof jfr view` that stand for several tables: all-views,
 * all-events and types, as in the JDK's tool.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jfr_view;

/** Whether the name is one of these words. */
bool jfr_view_all_is(const char *name);
/** Prints the tables of this word. Returns an enum cmd_result. */
int jfr_view_all_print(const struct jfr_view *view, const char *path);
/** Prints a line for each of the words. */
void jfr_view_all_list(void);
