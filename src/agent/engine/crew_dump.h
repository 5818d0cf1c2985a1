/*
 * crew_dump.h - dumps, and other requests to the engines while the program runs.
 *
 * One dump or request runs at a time, no matter whether the VM, a peer or the end of the program
 * asks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct agent;
struct net_command;
struct recording;

/**
 * Write what the engines of `r` have counted; the recording goes on.
 * Errors: 0; E_VM_STATE: the recording has ended, and `r` may be freed. Context: java, lock not
 * held.
 */
int crew_dump(struct agent *a, struct recording *r);
/**
 * An engine tells that it has written the pending part of the last dump, or failed to. Returns 1 if
 * that dump has a line on stderr; this function or crew_dump() prints the end of the line. Returns
 * 0 if it was a request. Needs the lock.
 */
int crew_dump_written(struct agent *a);
/**
 * Pass a command for `r` to the engines that answer it, and flush.
 * Errors: 0; E_UNSUPPORTED if no running engine knows the command; otherwise the first engine's
 * error. Context: java, lock not held.
 */
int crew_dump_request(struct agent *a, struct recording *r, const struct net_command *c);
/**
 * Wait until no other dump runs and no part of an earlier dump is pending, then take locks.dumps
 * and the agent's lock. The caller releases both with crew_dump_end(). Context: java, neither lock
 * held.
 */
void crew_dump_begin(struct agent *a);
/**
 * Like crew_dump_begin(), to write into the file of `r`. False: the recording has ended, and `r`
 * may be freed.
 */
bool crew_dump_begin_of(struct agent *a, const struct recording *r);
/** Release the locks that crew_dump_begin() has taken. */
void crew_dump_end(struct agent *a);
