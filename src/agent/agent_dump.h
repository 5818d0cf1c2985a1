/*
 * agent_dump.h - dumps, and what else is asked of the engines while the program runs.
 *
 * One at a time, whoever asks: the VM, a peer, or the end of the program.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct agent;
struct net_command;
struct recording;

/**
 * Write what the engines of `r` have now; it goes on. Errors: 0; E_VM_STATE: it has ended, and `r`
 * may be freed. Context: java, lock not held.
 */
int agent_dump(struct agent *a, struct recording *r);
/**
 * An engine has written what was pending of the last dump, or failed to. Returns 1 if that dump has
 * a line on stderr, whose end is said here or by agent_dump(); 0 if it was a request. Needs the
 * lock.
 */
int agent_dump_written(struct agent *a);
/**
 * Pass a command for `r` to the engines that answer it, and flush. Errors: 0, E_UNSUPPORTED when no
 * engine that runs has it, or the first engine's error. Context: java, lock not held.
 */
int agent_dump_request(struct agent *a, struct recording *r, const struct net_command *c);
/**
 * Wait until nobody else dumps and nothing of an earlier dump is on its way, then take agent.dumps
 * and agent.lock, both of which the caller lets go of. Context: java, neither held.
 */
void agent_dump_begin(struct agent *a);
/** The same, to write into the file of `r`: false if that has ended, and `r` may be freed. */
bool agent_dump_begin_of(struct agent *a, const struct recording *r);
/** Let go of what agent_dump_begin() has taken. */
void agent_dump_end(struct agent *a);
