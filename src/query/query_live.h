/*
 * query_live.h - the tables of live JVMs: counters, java_threads, locks.
 *
 * A JVM is looked at from outside when a query asks such a table first, and is not stopped; all
 * later questions of the run are answered by the same look, so that joins agree.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct query;
struct query_live;

/** Adds the tables. Errors: 0, -ENOMEM. */
int query_live_open(struct query *q);
void query_live_close(struct query_live *live);
