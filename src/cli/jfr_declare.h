/*
 * jfr_declare.h - the types that a JFR file declares, written as the JDK's `jfr metadata` does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_filter;

/** Prints to standard output; with a filter the events that fit, alone. Returns an enum cmd_status.
 */
int jfr_declare_print(const char *path, const struct jfr_filter *filter);
