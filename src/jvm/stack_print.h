/*
 * stack_print.h - prints stacks: as text, in the form of the JDK's thread dumps, or as JSON for
 * programs. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct snapshot;
struct snapshot_frame;

/** Print all threads. Errors are the stream's. */
void stack_print_text(FILE *out, const struct snapshot *s);
/** Print only the virtual threads that are not mounted; or only the deadlocks, if there are any. */
void stack_print_virtuals(FILE *out, const struct snapshot *s);
void stack_print_deadlocks(FILE *out, const struct snapshot *s);
/** Print one JSON object, whose members hprof-stack(1) describes. */
void stack_print_json(FILE *out, const struct snapshot *s);
/** Print one frame as both do: a line, or an object. */
void stack_print_frame(FILE *out, const struct snapshot_frame *f);
void stack_print_frame_json(FILE *out, const struct snapshot_frame *f);
