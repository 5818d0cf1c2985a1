/*
 * query_cell.h - a field of an event as a value of SQL.
 *
 * Moments are ns since the epoch and lengths of time ns. A thread is its name, a class or a method
 * its name as in Java source, a class loader its name or class; a stack is a number, which the
 * tables `stacks` and the functions for stacks understand. Other structures have a column for each
 * of their fields.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "query/query_shape.h"

struct jfr_value;
struct query_scan;
struct query_value;

/** Gives the value; none is NULL. */
void query_cell_give(struct query_scan *s, struct query_value *to, enum query_shape shape,
                     const struct jfr_value *value);
