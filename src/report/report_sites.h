/*
 * report_sites.h - prints the allocation sites of a profile for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/** Prints the table. Errors: 0, -ENOMEM. */
int report_sites(const struct report_how *r, struct profile *profile);
