/*
 * vm_sampler.h - the VM's allocation sampler (JEP 331, JDK 11 and later), for several users.
 *
 * One environment of the JVM at a time can have the sampler's capability, and the whole JVM has one
 * sampling interval. So one environment serves all users in all libraries of ours (vm_shared.h), at
 * the finest interval that a user asks for. Each user gets a part of the samples, drawn so that it
 * hears of an object with the probability that its own interval gives. The last user gives the
 * capability back. In a VM before JDK 25, whose own draws prefer small objects to large ones, the
 * environment samples more finely than the users ask for.
 * Source: HotSpot jvmtiManageCapabilities.cpp, threadHeapSampler.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct vm;
struct vm_env_refusal;

/** The function that is called on a thread which has allocated an object. Context: java. */
typedef void vm_sampler_seen(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg);

/**
 * Become a user. Threads that are made after this call draw their distances for `interval` (mean
 * bytes between samples; 0: every object). The user gets no sample before vm_sampler_hear(). `arg`
 * must live as long as the process, because a call that has begun may end after vm_sampler_close().
 * Errors:  the user's number; E_UNSUPPORTED: *ret_why (may be NULL) says whether the VM has no
 *          sampler or another agent has it; E_LIMIT: too many users.
 * Context: OnLoad or java.
 */
int vm_sampler_open(const struct vm *vm, uint64_t interval, void *arg,
                    struct vm_env_refusal *ret_why);
/**
 * Whether some allocations are not sampled: in JDK 11, if the VM has no flag to prevent this.
 * Context: any.
 */
bool vm_sampler_is_partial(void);
/** The sum of a site's samples may be too large, because the VM's draws prefer some objects. This
 * is the largest average error that was seen, in percent of the sum. 0: the VM prefers no objects.
 * Context: any. */
uint32_t vm_sampler_bias_percent(void);
/** Give the VM's environment back while the only user does not listen, because the environment
 * makes each event of the VM slower. The interval is kept. Nothing happens if there are other
 * users. */
void vm_sampler_rest(int user);
/**
 * Take the environment again, before vm_sampler_hear() of a user that rests.
 * Errors:  0; E_UNSUPPORTED: another agent has the sampler now.
 * Context: java.
 */
int vm_sampler_wake(const struct vm *vm);
/**
 * Change the user's interval. Threads that exist have drawn their next distance already.
 * Errors:  0; E_UNSUPPORTED: nothing has changed.
 * Context: java.
 */
int vm_sampler_set_interval(int user, uint64_t interval);
/** Call `seen` for the user's samples from now on; NULL: call nothing. Context: java. */
void vm_sampler_hear(int user, vm_sampler_seen *seen);
/** Stop being a user. Context: java. */
void vm_sampler_close(int user);
