/*
 * report_sites.h - the allocation sites of a profile, for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report;

/** Errors: 0, -ENOMEM. */
int report_sites(const struct report *r, struct profile *profile);
