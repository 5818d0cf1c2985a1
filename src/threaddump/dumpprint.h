/*
 * dumpprint.h - prints what several dumps of one JVM say over time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct dumpseries;
struct sink;

/** Several dumps: states, CPU time, threads that came and went, threads that wait in all dumps,
 * threads with one stack in all dumps. Errors: 0; -ENOMEM. */
int dumpprint_series(struct sink *out, const struct dumpseries *s);
/** The same as one object of JSON and a line break. */
void dumpprint_series_json(struct sink *out, const struct dumpseries *s);
