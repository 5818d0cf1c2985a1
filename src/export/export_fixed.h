/*
 * export_fixed.h - the tables that have the same columns for every input.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
struct export_state;

/** Writes the samples of an input that has no events. Errors: 0; negative. */
int export_fixed_samples(struct export_state *s);
/** Writes the stacks, frames and threads that events and samples named, and the row of the input.
 * Errors: 0; negative. */
int export_fixed_rest(struct export_state *s);
