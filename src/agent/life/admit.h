/*
 * admit.h - decides which recordings may run at one time, and keeps what they share.
 *
 * Context: java, or OnLoad; the lock of life is held. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct agent;
struct options;
struct recording;

/**
 * Make a recording in a free place; its options are those of `line` and `environment`. If the
 * options say that the recording waits for a trigger, it gets only its trigger options, unless
 * `is_begun`.
 * Errors: 0, or negative after a message.
 * Owner: *ret is the caller's in any case; NULL if there is no memory.
 */
int admit_new(struct agent *a, const char *line, const char *environment, bool is_begun,
              struct recording **ret);
/**
 * Refuse unknown names, print which options have no effect, and fill in the values that depend on
 * the machine. Errors: 0; E_NOT_FOUND after a message. Context: any.
 */
int admit_complete(struct options *o);
/**
 * Whether `r` can be measured beside the recordings that run. Errors: 0; E_VM_STATE after a
 * message.
 */
int admit_check(const struct agent *a, struct recording *r);
/**
 * Make agent.options the options of all recordings that run and of the one that is coming. Errors:
 * 0, -ENOMEM. Needs the agent's lock if a recording runs.
 */
int admit_fold(struct agent *a);
/**
 * Call this after a recording has come or gone: frames say how their code ran as long as one
 * running recording wants that. Needs the agent's lock.
 */
void admit_settle_kinds(const struct agent *a);
/** Give `r` its tally, the sums that are counted for it. Errors: 0, -ENOMEM after a message. */
int admit_tally(struct agent *a, struct recording *r);
