/*
 * verify_print.h - prints the report of a verify run as a table or as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct verify_report;

void verify_print_table(FILE *out, const struct verify_report *r);
/** Prints one object; docs/verify.md describes its names. */
void verify_print_json(FILE *out, const struct verify_report *r);
