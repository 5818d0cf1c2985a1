/*
 * report_sites.h - the allocation sites of a profile, for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/** Errors: 0, -ENOMEM. */
int report_sites(const struct report_how *r, struct profile *profile);
