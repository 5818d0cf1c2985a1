/*
 * doctor_print.h - prints what was found in one JVM: as text, or as an object of JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct doctor_facts;
struct doctor_findings;
struct sink;

/** `is_whole`: also the rules whose facts were not known. */
void doctor_print_text(struct sink *out, const struct doctor_facts *f,
                       const struct doctor_findings *found, bool is_whole);
void doctor_print_json(struct sink *out, const struct doctor_facts *f,
                       const struct doctor_findings *found);
