/*
 * stack_json.h - stacks as JSON, for programs: one object, its members named in hprof-stack(1).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct snapshot;

/** Print all threads. Errors are the stream's. */
void stack_json_print(FILE *out, const struct snapshot *s);
