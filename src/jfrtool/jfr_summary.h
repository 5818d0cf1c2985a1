/*
 * jfr_summary.h - counts the events of each type in a JFR file, and their bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Prints to standard output. Returns an enum cmd_result. */
int jfr_summary_print(const char *path);
