/*
 * vm_sampler.h - the VM's allocation sampler (JEP 331, JDK 11 and later), for more than one user.
 *
 * Its capability belongs to one environment of the JVM at a time, and its interval is one number
 * for the whole JVM. Here one environment serves all users in all libraries of ours (vm_shared.h)
 * at the finest interval that anybody asks for; each user hears of a part of the samples, drawn so
 * that an object is heard of with the probability that the user's own interval gives it. The last
 * user who goes gives the capability back. Where the VM's own draws prefer small objects to large
 * ones (before JDK 25) it samples more finely than anybody asks for.
 * Source: HotSpot jvmtiManageCapabilities.cpp, threadHeapSampler.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct vm;
struct vm_env_refusal;

/** An object has been allocated, on this thread. Context: java. */
typedef void vm_sampler_seen(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg);

/**
 * Become a user: from the threads that are made after this call on, distances are drawn for
 * `interval` (mean bytes between samples; 0: every object). Nothing is heard before
 * vm_sampler_start(). `arg` must live as long as the process: a call that has begun may end after
 * vm_sampler_close(). Errors: the user's number; E_UNSUPPORTED and in *ret_why (may be NULL)
 * whether the VM has no sampler, or somebody else's agent has it; E_LIMIT too many users. Context:
 * OnLoad or java.
 */
int vm_sampler_open(const struct vm *vm, uint64_t interval, void *arg,
                    struct vm_env_refusal *ret_why);
/** Whether some allocations are not seen: in JDK 11, where the VM has no flag that mends it.
 * Context: any. */
bool vm_sampler_is_partial(void);
/** How much too large the sum of a site's samples has been seen to be on average, at most, by what
 * the VM's draws prefer: percent of it. 0: nothing is preferred. Context: any. */
uint32_t vm_sampler_bias_percent(void);
/**
 * The only user so far does not hear for now: the VM's environment, which costs each event of the
 * VM something, is given back. The interval stays. Nothing happens if there are other users.
 */
void vm_sampler_rest(int user);
/** Before vm_sampler_hear() of one that rests. Errors: 0; E_UNSUPPORTED, somebody else's agent has
 * the sampler by now. Context: java. */
int vm_sampler_wake(const struct vm *vm);
/**
 * The user asks for another interval from now on; threads that there are have drawn their next
 * distance already. Errors: 0; E_UNSUPPORTED, then it is as before. Context: java.
 */
int vm_sampler_set_interval(int user, uint64_t interval);
/** Hear, or hear no longer. `seen` NULL: no longer. Context: java. */
void vm_sampler_hear(int user, vm_sampler_seen *seen);
/** No user any more. Context: java. */
void vm_sampler_close(int user);
