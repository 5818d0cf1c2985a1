/*
 * verify_print.h - the report of a verify run as a table and as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct verify_report;

void verify_print_table(FILE *out, const struct verify_report *r);
/** One object; names in docs/verify.md. */
void verify_print_json(FILE *out, const struct verify_report *r);
