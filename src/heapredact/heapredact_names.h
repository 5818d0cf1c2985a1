/*
 * heapredact_names.h - what a text of a dump could be.
 *
 * Knows no file. Class names may have slashes, as in the JVM's dumps, or dots, as in ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct hprof_redact_rule;

/** What the text could be: bits of enum heapredact_text, and of enum hprof_redact_use those of a
 * text without a reference. The text has no NUL at its end. */
uint32_t heapredact_names_judge(const struct hprof_redact_rule *rule, const char *text, size_t len);
