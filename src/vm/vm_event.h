/*
 * vm_event.h - the VM's events, each with any number of subscribers.
 *
 * An event is on in the VM while it has subscribers, so an event without subscribers costs nothing.
 * Subscribers are called in the order in which they were added, on the thread that the event is
 * about. A subscriber may be added or removed at any time, also during an event; this event may or
 * may not reach the subscriber. Each library has one table and does not see the events of another
 * library.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include "vm/vm_env.h"

struct vm;
enum vm_event {
#define VM_EVENT(NAME, word, capability, place, number, type, parameters, arguments)               \
    VM_EVENT_##NAME,
#define VM_EVENT_EXTENSION(NAME, word, id) VM_EVENT_##NAME,
#include "vm/vm_event.def"
#undef VM_EVENT
#undef VM_EVENT_EXTENSION
    VM_EVENT_COUNT
};

#define VM_EVENT_BARE(...) __VA_ARGS__

/** The function to call; vm_event.def has its parameters after `data`. */
union vm_event_handler {
/* NOLINTBEGIN(bugprone-macro-parentheses): a declarator */
#define VM_EVENT(NAME, word, capability, place, number, type, parameters, arguments)               \
    void (*word)(void *data VM_EVENT_BARE parameters);
#define VM_EVENT_EXTENSION(NAME, word, id) void (*word)(void *data, JNIEnv *env, jthread thread);
/* NOLINTEND(bugprone-macro-parentheses) */
#include "vm/vm_event.def"
#undef VM_EVENT
#undef VM_EVENT_EXTENSION
};

/** A subscriber. It is static, or it is kept until vm_event_settle() returns true after its
 * removal. */
struct vm_event_subscriber {
    enum vm_event event;
    bool is_heard; /* this field and `next` are written by vm_event.c */
    union vm_event_handler on;
    void *data;
    struct vm_event_subscriber *_Atomic next;
};

/** Begin, before any subscriber is added. `vm` stays the caller's. Context: OnLoad, or java. */
void vm_event_open(const struct vm *vm);
/** Set the callback of SingleStep. This event comes too often to be counted as the other events
 * are, and each additional environment makes it slower. So the VM calls `heard` directly, in the
 * main environment. The caller turns the event on and off in that environment and waits itself
 * until its calls have ended. Context: OnLoad, after vm_event_open(). */
void vm_event_hear_steps(jvmtiEventSingleStep heard);
/**
 * Set the callback for freed objects that had a tag of the main environment, in the same way.
 * Context: OnLoad.
 */
void vm_event_hear_freed(jvmtiEventObjectFree heard);
/** Remove all subscribers, until vm_event_open() is called again. `vm` is still open. */
void vm_event_close(void);
/** Get the capability for all events that need it, before a subscriber is added. Call this early,
 * while the VM still gives the capability. Errors and context: as vm_event_add(). */
int vm_event_want(enum vm_capability what, struct vm_env_refusal *ret_why);
/**
 * Call the subscriber at each `s->event` from now on. If it is added already, nothing happens.
 *
 * Errors:  0; E_UNSUPPORTED; if a capability was refused, *ret_why (may be NULL) says which.
 * Context: OnLoad or java; not within a pause of the VM.
 */
int vm_event_add(struct vm_event_subscriber *s, struct vm_env_refusal *ret_why);
/** Add `count` subscribers, or none of them. Errors and context: as vm_event_add(). */
int vm_event_add_all(struct vm_event_subscriber *s, int count, struct vm_env_refusal *ret_why);
/** Remove a subscriber. Calls that are under way go on. Context: as vm_event_add(). */
void vm_event_remove(struct vm_event_subscriber *s);
void vm_event_remove_all(struct vm_event_subscriber *s, int count);
/**
 * Wait until all calls that are under way have ended. Returns true if they have: subscribers that
 * were removed before are not used any more. Returns false after `ms`.
 * Context: not in a handler; the caller holds no lock that a handler may take.
 */
bool vm_event_settle(int ms);
