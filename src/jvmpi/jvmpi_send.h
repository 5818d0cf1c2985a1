/*
 * jvmpi_send.h - which agents want which events, and how events are handed to them.
 *
 * An event that no agent wants costs one load. Two agents in one JVM each have their own set of
 * events and get an event one after the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_self.h"

enum {
    JVMPI_SEND_EVENTS = 62, /* the numbers of events are below: JVMPI_MAX_EVENT_TYPE_VAL + 1 */
};

struct jvmpi_send {
    JVMPI_Interface tables[JVMPI_AGENTS_MAX];       /* the tables that GetEnv has returned */
    _Atomic jvmpi_agents wanted[JVMPI_SEND_EVENTS]; /* agents that want the event now */
    /* agents that wanted the event when JVM_OnLoad returned */
    _Atomic jvmpi_agents from_start[JVMPI_SEND_EVENTS];
};

extern struct jvmpi_send jvmpi_send;

/** The agents that want the event. Context: any. */
static inline jvmpi_agents jvmpi_send_wanted(jint event)
{
    return atomic_load_explicit(&jvmpi_send.wanted[event], memory_order_acquire);
}

/** The agents that want the event; none while the thread does the bridge's own work. Context:
 * any. */
static inline jvmpi_agents jvmpi_send_whom(jint event)
{
    return jvmpi_self.quiet ? 0 : jvmpi_send_wanted(event);
}

/** The agents that have wanted the event since JVM_OnLoad. They are promised: they hear of each
 * entity before another event names it. */
static inline jvmpi_agents jvmpi_send_promised(jint event)
{
    return jvmpi_send_wanted(event) &
           atomic_load_explicit(&jvmpi_send.from_start[event], memory_order_acquire);
}

/**
 * Hand the event to those of these agents that still want it or have requested it, each its own
 * copy. An agent gets no event after its DisableEvent has returned (but see jvmpi_send_settle()),
 * nor after jvmpi_send_close().
 * Context: any, not signal; no lock is held.
 */
void jvmpi_send_to(jvmpi_agents agents, const JVMPI_Event *e);
/** Hand out an event that names an object, whose id is `id`: a handler that asks for the object
 * gets it at once. */
void jvmpi_send_about(jvmpi_agents agents, const JVMPI_Event *e, jobjectID id, jobject object);
/** Do the same as jvmpi_send_to() for one or more agents, which may change the event. The caller
 * has called jvmpi_thread_step_begin() and calls jvmpi_thread_step_end() afterwards. */
void jvmpi_send_counted(jvmpi_agents agents, JVMPI_Event *e);
/** Do the same as jvmpi_send_to() for one agent, which may change the event. Nothing happens if the
 * agent has not set NotifyEvent. */
void jvmpi_send_one(int agent, JVMPI_Event *e);
/** Whether JVM_SHUT_DOWN is being sent, or has been sent. Context: any. */
bool jvmpi_send_is_ending(void);
/** Send an event without data to the agents that want it. */
void jvmpi_send_bare(JNIEnv *env, jint event);
/**
 * Wait until the calls of NotifyEvent that are under way have returned, 100 ms at most: an agent
 * may hold a lock for which its handler waits. If one of the calls is on this thread, the function
 * does not wait. Returns whether no call is under way.
 * Context: any, not signal.
 */
bool jvmpi_send_settle(void);
/**
 * Wait until these agents are in `told`, because another thread is telling them of an entity and
 * they must have heard of it before an event names it. A thread that handles an event may hold a
 * lock for which the other handler waits, so it does not wait; other threads wait for some seconds
 * at most.
 * Context: any, not signal.
 */
void jvmpi_send_wait_until_told(const _Atomic uint8_t *told, jvmpi_agents agents);
/** From now on only the calling thread sends events; other threads send only requested events. The
 * calls of NotifyEvent that began before have returned, as far as jvmpi_send_settle() can wait. */
void jvmpi_send_close_to_others(void);
/** Whether the calling thread still sends events that are not requested. Context: any. */
bool jvmpi_send_tells(void);
/** From now on no thread sends an event. */
void jvmpi_send_close(void);
