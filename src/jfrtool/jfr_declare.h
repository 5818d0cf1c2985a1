/*
 * jfr_declare.h - prints the types that a JFR file declares, as the JDK's `jfr metadata` does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_filter;

/** Prints to standard output; with a filter, only the events that pass it. Returns an enum
 * cmd_result. */
int jfr_declare_print(const char *path, const struct jfr_filter *filter);
