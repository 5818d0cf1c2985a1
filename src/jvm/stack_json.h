/*
 * stack_json.h - prints stacks as JSON for programs: one object, whose members hprof-stack(1)
 * describes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct snapshot;

/** Print all threads. Errors are the stream's. */
void stack_json_print(FILE *out, const struct snapshot *s);
