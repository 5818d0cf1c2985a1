/*
 * query_input_table.h - the table `inputs`.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct query;

/** Adds the table. Errors: 0, -ENOMEM. */
int query_input_table_open(struct query *q);
