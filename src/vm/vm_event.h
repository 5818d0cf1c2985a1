/*
 * vm_event.h - the VM's events, each with as many subscribers as want to hear of it.
 *
 * An event is on in the VM while it has subscribers, so one that nobody wants costs nothing. They
 * are called in the order in which they came, on the thread that the event is about. One may come
 * or go at any time, also in the middle of an event; an event that is under way then may or may not
 * reach it. One table a library; events of one library are not seen by another.
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

/** What is called: vm_event.def has the parameters behind `data`. */
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

/** Static, or the caller's own until vm_event_settle() has said so after it was removed. */
struct vm_event_subscriber {
    enum vm_event event;
    bool is_heard; /* this one and `next` are vm_event.c's */
    union vm_event_handler on;
    void *data;
    struct vm_event_subscriber *_Atomic next;
};

/** Before anything is subscribed to. `vm` stays the caller's. Context: OnLoad, or java. */
void vm_event_open(const struct vm *vm);
/**
 * SingleStep comes too often to be counted as the other events are, and each environment there is
 * makes it slower: `heard` is the VM's own callback, in the main environment, and who turns the
 * event on and off there waits for calls himself. Context: OnLoad, after vm_event_open().
 */
void vm_event_hear_steps(jvmtiEventSingleStep heard);
/** The same of objects that are freed and had a tag of the main environment. Context: OnLoad. */
void vm_event_hear_freed(jvmtiEventObjectFree heard);
/** Nobody hears of anything any more, until it is opened again. `vm` is still open. */
void vm_event_close(void);
/**
 * Get what the VM wants for all events that need this capability, before anybody hears of one:
 * early, where it can be had. Errors and context: as vm_event_add().
 */
int vm_event_want(enum vm_capability what, struct vm_env_refusal *ret_why);
/**
 * Hear of `s->event` from now on; nothing happens if it does already.
 *
 * Errors: 0; E_UNSUPPORTED and in *ret_why (may be NULL) what was refused, if a capability was.
 * Context: OnLoad or java; not within a pause of the VM.
 */
int vm_event_add(struct vm_event_subscriber *s, struct vm_env_refusal *ret_why);
/** As vm_event_add(), for each of `count` subscribers, or for none of them. */
int vm_event_add_all(struct vm_event_subscriber *s, int count, struct vm_env_refusal *ret_why);
/** The subscriber hears no more of its event. Calls that are under way go on. Context: as
 * vm_event_add(). */
void vm_event_remove(struct vm_event_subscriber *s);
void vm_event_remove_all(struct vm_event_subscriber *s, int count);
/**
 * Wait until no call is under way that began before. Returns true then: what was removed before is
 * touched no more; false after `ms`. Context: not in a handler; no lock that a handler may want.
 */
bool vm_event_settle(int ms);
