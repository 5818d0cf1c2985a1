/*
 * admit.h - which recordings may run at one time, and what all that run have together.
 *
 * Context: java, or OnLoad; the lock of life is held. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct agent;
struct recording;

/**
 * A recording with a free place, whose options are those of `line` and `environment`. One that is
 * to wait for a trigger has its triggers alone, unless it `is_begun`. Errors: 0, or negative after
 * a message. Owner: *ret is the caller's in any case; NULL without memory.
 */
int admit_new(struct agent *a, const char *line, const char *environment, bool is_begun,
              struct recording **ret);
/** Whether `r` can be measured beside what runs. Errors: 0; E_VM_STATE after a message. */
int admit_check(const struct agent *a, struct recording *r);
/** agent.options become those of all that run, and of the one that is coming. Errors: 0, -ENOMEM.
 * Needs the agent's lock where anything runs. */
int admit_fold(struct agent *a);
/** A recording has come or gone: frames say how their code ran as long as one that runs wants it.
 * Needs the agent's lock. */
void admit_settle_kinds(const struct agent *a);
/** The sums of `r`. Errors: 0, -ENOMEM after a message. */
int admit_tally(struct agent *a, struct recording *r);
