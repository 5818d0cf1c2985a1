/*
 * jvmpi_send.h - which agents want which events, and handing events to them.
 *
 * An event that nobody wants costs one load. Two agents in one JVM each have their own set of
 * events and are told one after the other. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_agent_set.h"
#include "jvmpi/jvmpi_self.h"

enum {
    JVMPI_SEND_EVENTS = 62, /* the numbers of events lie below: JVMPI_MAX_EVENT_TYPE_VAL + 1 */
};

struct jvmpi_send {
    JVMPI_Interface tables[JVMPI_AGENT_SET_MAX];        /* that GetEnv has answered */
    _Atomic jvmpi_agents wanted[JVMPI_SEND_EVENTS];     /* who wants the event now */
    _Atomic jvmpi_agents from_start[JVMPI_SEND_EVENTS]; /* and did when JVM_OnLoad returned */
};

extern struct jvmpi_send jvmpi_send;

/** Who wants the event. Context: any. */
static inline jvmpi_agents jvmpi_send_wanted(jint event)
{
    return atomic_load_explicit(&jvmpi_send.wanted[event], memory_order_acquire);
}

/** The same, but nobody while the thread does the bridge's own work. Context: any. */
static inline jvmpi_agents jvmpi_send_whom(jint event)
{
    return jvmpi_self.quiet ? 0 : jvmpi_send_wanted(event);
}

/** Who has wanted the event since JVM_OnLoad: who is promised to hear of each entity first. */
static inline jvmpi_agents jvmpi_send_promised(jint event)
{
    return jvmpi_send_wanted(event) &
           atomic_load_explicit(&jvmpi_send.from_start[event], memory_order_acquire);
}

/**
 * Hand the event to those of these agents who want it still, or have requested it, each a copy.
 * Nothing comes to an agent after its DisableEvent has returned (but see jvmpi_send_settle()), nor
 * after jvmpi_send_close(). Context: any, not signal; no lock is held.
 */
void jvmpi_send_to(jvmpi_agents agents, const JVMPI_Event *e);
/** The same for an event that names an object, whose id is `id`: its handler finds it at once. */
void jvmpi_send_about(jvmpi_agents agents, const JVMPI_Event *e, jobjectID id, jobject object);
/** jvmpi_send_to() between jvmpi_thread_step_begin() and jvmpi_thread_step_end(), for one agent or
 * more, who may change the event. */
void jvmpi_send_counted(jvmpi_agents agents, JVMPI_Event *e);
/** As jvmpi_send_to() for one agent, which may change the event. Nothing if it has not set
 * NotifyEvent. */
void jvmpi_send_one(int agent, JVMPI_Event *e);
/** Whether JVM_SHUT_DOWN is told, or has been. Context: any. */
bool jvmpi_send_is_ending(void);
/** An event that is nothing but its number, to those who want it. */
void jvmpi_send_bare(JNIEnv *env, jint event);
/**
 * Wait until the calls of NotifyEvent that began before have returned, 100 ms at most: an agent may
 * hold what its handler waits for. Does not wait for a call of this thread, in which case it does
 * not wait at all. Returns whether none is under way. Context: any, not signal.
 */
bool jvmpi_send_settle(void);
/**
 * Another thread tells these agents of an entity, and notes in `told` who has been: they must have
 * heard of it before an event names it. Who handles an event may hold what the other's handler
 * waits for, and does not wait; others wait for some seconds at most. Context: any, not signal.
 */
void jvmpi_send_wait_until_told(const _Atomic uint8_t *told, jvmpi_agents agents);
/** From now on only the calling thread tells of events, and others of what is requested. The calls
 * of NotifyEvent that began before have returned, as far as jvmpi_send_settle() goes. */
void jvmpi_send_close_to_others(void);
/** Whether the calling thread still tells of what is not requested. Context: any. */
bool jvmpi_send_tells(void);
/** From now on nobody tells of anything. */
void jvmpi_send_close(void);
