/*
 * life_own.h - the steps in the life of a recording, which only the files of this folder take.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include "agent/engine/engine.h"

struct agent;
struct life_loop;
struct recording;

/*
 * life_run.c: begins a recording in a VM that runs, and handles the events of the VM while
 * recordings run.
 */

/**
 * Write the header, announce the threads, and start the engines. The engines of `fresh` are not at
 * work yet.
 * Errors: 0; negative after a message: the caller must end the recording. Context: java; the lock
 * of life is held.
 */
int life_run(struct agent *a, JNIEnv *env, struct recording *r, engine_set fresh);

/*
 * life_end.c: ends a recording: its last tables, its file, and what it uses of the VM.
 *
 * Context: java; the lock of life is held.
 */

/**
 * End a recording and release everything that only it used. Errors: 0; E_VM_STATE: it has ended
 * already.
 */
int life_end(struct agent *a, JNIEnv *env, struct recording *r);
/** End all recordings, because the VM dies. */
void life_end_all(struct agent *a);
/**
 * Release everything after the end, or after a failed start. After that nothing of ours is in the
 * VM, except classes whose injected code calls nothing any more, or that still wait for their own
 * code. If an engine cannot release something, that and everything it may use stays, and no
 * recording begins any more.
 * Errors: 0, or negative after a message.
 */
int life_end_release(struct agent *a, JNIEnv *env, struct recording *r, engine_set set);
/**
 * Release one recording while others go on. `gone` are its engines that no other recording uses.
 */
void life_end_release_one(struct agent *a, JNIEnv *env, struct recording *r, engine_set gone);
/** Release engines that failed to start, so that they may be tried again. */
void life_end_release_failed(struct agent *a, JNIEnv *env);
/** Free the recording itself, and its place. */
void life_end_free(struct agent *a, struct recording *r);

/*
 * life_loop.c: the finished files of a recording with loop=, and the removal of the oldest ones
 * (keep=).
 *
 * A file is removed only if its name still leads to that very file. If somebody has given the name
 * to another file, that file is left alone. Context: any, with the lock of life held.
 */

/**
 * Note the file of `r`, which is open, in *l; *l is made if it is NULL. Errors: 0; -ENOMEM: that
 * file will not be removed.
 */
int life_loop_add(struct life_loop **l, const struct recording *r);
/** Remove the oldest files until `most` are left. `l` may be NULL. */
void life_loop_keep(struct life_loop *l, uint32_t most);
/** Free the list; the files stay. */
void life_loop_free(struct life_loop *l);
