/*
 * engine.h - the registry of engines. An engine measures one thing, for example cpu=samples.
 *
 * Each engine has one file engine_NAME.c that exports one `const struct engine`; the list in
 * src/meson.build is the whole registry. The code in life/ calls the functions of an engine in the
 * order in which the VM's life goes on. An engine that fails says so once and does nothing from
 * then on.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "format/net_command.h"
#include "profile/ids.h"
#include "vm/vm_env.h"

struct agent;
struct event;
struct options;
struct options_group;
struct recording;
struct thread;
struct vm_threads_row;

/**
 * A capability that an engine must get from the VM before its load(), because later the VM may not
 * give it any more. If `env` is not NULL, the capability is for a JVM TI environment that belongs
 * to the engine; the first need that names this `env` opens it. If `env` is NULL, the capability is
 * for the environment that vm/ shares: for events (vm_event.h), or, with can_retransform_classes,
 * for injection (injector.h).
 */
struct engine_need {
    int asked; /* needed only if the options ask for the engine with this value; 0: always */
    enum vm_capability what;
    jvmtiEnv **env;
    const char *refused; /* the message if the VM refuses, with %s for the reason; NULL: the engine
                            works without the capability */
};

/** A command of the HPROF socket protocol that the engine answers. */
struct engine_command {
    enum net_command_tag tag;
    enum net_command_op op; /* only for NET_COMMAND_CONTROL */
    const char *name;       /* the name in messages */
    /**
     * Answer the command.
     * Errors: 0; E_UNSUPPORTED if the engine cannot answer, for example because no option asks for
     * it; another negative code after a message. Context: java, lock held.
     */
    int (*answer)(struct agent *a, struct recording *r, const struct net_command *c);
};

/** The entries of an engine in shared tables. Each field may be 0. */
struct engine_owns {
    const struct engine_need *needs;
    int need_count;
    const struct engine_command *commands;
    int command_count;
    /** The memory that the engine has for each thread: vm_threads_slot(thread->vm, per_thread). */
    struct vm_threads_row *per_thread;
    /** The prefix of the names of the engine's quality counts; a check compares it with the code of
     * the folder. NULL: the engine has no quality counts, or (cpu) has all counts that no other
     * engine has. */
    const char *counts;
};

enum { ENGINE_STATUS = 640 };

/** How an engine works for several recordings at the same time. */
struct engine_sharing {
    /** Why the engine can work for only one recording at a time; NULL: it can work for any number.
     */
    const char *alone;
    /**
     * The recording `r`, which wants this engine, begins. What the engine counted before does not
     * belong to `r`. The engine has just started, or already works for other recordings.
     * Errors: 0; negative after a message: `r` does not begin. May be NULL. Context: java, lock
     * held.
     */
    int (*join)(struct agent *a, struct recording *r);
    /** The recording has ended, or could not begin. The function may be called without a join()
     * before. May be NULL. Context: as join(). */
    void (*part)(struct agent *a, struct recording *r);
    /**
     * The options that hold for all recordings together (agent.options) have changed, for example
     * the finest interval or the greatest depth of stacks.
     * Errors: 0; negative after a message: the engine works as before. May be NULL. Context: as
     * join().
     */
    int (*retune)(struct agent *a);
};

struct engine {
    const char *name;
    const char *help;    /* one line */
    const char *dumping; /* the engine's words in the line "Dumping ..."; NULL: none */
    const char *begun;   /* the engine's words in the line after an attach; NULL: none */
    /** The options that belong to the engine, among them the option that asks for it. */
    const struct options_group *options;
    struct engine_owns owns;
    /**
     * Read the options and take memory. Called before the VM starts, or at attach.
     * Errors: 0; negative after a message: the VM does not start, or the attach fails. Context:
     * any.
     */
    int (*prepare)(const struct options *o);
    /**
     * Set flags of the VM, subscribe to events. JVM TI and what the engine needs are there. Called
     * after prepare(), before the VM makes its first thread, or at attach. May be NULL.
     * Errors: as prepare(); E_UNSUPPORTED after a message that names what the VM refuses: this
     * engine is left out, and the other engines go on. Context: OnLoad, or java at attach.
     */
    int (*load)(struct agent *a);
    /** Start to measure. Called at VM_INIT or at attach. Errors: 0; negative after a message: the
     * engine stays off, and a recording that a command asked for does not begin. Context: java,
     * lock held. */
    int (*start)(struct agent *a, JNIEnv *env);
    /** All engines have started. May be NULL. Context: java, lock not held. */
    void (*ready)(struct agent *a);
    /**
     * A Java thread begins (called on that thread), or is found when the engine starts; a Java
     * thread ends. May be NULL. Context: java, lock held.
     */
    void (*thread_start)(struct agent *a, struct thread *thread);
    void (*thread_end)(struct agent *a, struct thread *thread);
    /** Called each second while the engine is at work (engine/beat.h). May be NULL. Context: java,
     * lock held. */
    void (*beat)(struct agent *a, JNIEnv *env);
    struct engine_sharing sharing;
    /** Called before a dump or a request: wait until the engine's earlier dump has ended. May be
     * NULL. Context: java, no lock. */
    void (*settle)(struct agent *a);
    /**
     * Write the table of what was measured for the recording since its last dump. May be NULL.
     * Context: java, lock held. The engine may give the lock back and take it again: meanwhile no
     * other thread dumps, and no thread closes the file.
     */
    void (*dump)(struct agent *a, struct recording *r);
    /** Whether the work that dump() began still goes on. In that case the engine calls
     * crew_dump_written() later. May be NULL. Needs the lock. */
    bool (*is_pending)(struct agent *a);
    /** Called after a dump, with verbose=y: print one line about the quality of the dump. May be
     * NULL. */
    void (*say)(struct agent *a, struct recording *r);
    /** The engine's part of the answer to the command status, for example "samples=12 lost=0"; a
     * text stands in quotes. May be NULL. Context: java, lock held. */
    void (*status)(struct agent *a, struct recording *r, char ret[ENGINE_STATUS]);
    /** The VM is about to die; all recordings still run. May be NULL. Context: java, no lock. */
    void (*dying)(struct agent *a, JNIEnv *env);
    /**
     * Stop measuring. Called at VM_DEATH, or when the agent is to leave (agent.is_leaving). dump()
     * may be called once more after this. May be NULL. Context: java, lock not held.
     */
    void (*stop)(struct agent *a);
    /**
     * Give back what prepare(), load() and start() have taken, so that prepare() can be called
     * again. Called after stop() and the last dump, or if a step after prepare() has failed. NULL:
     * the engine runs only once in a VM.
     * Errors: 0; negative after a message if some code of the engine is still at work: then the
     * engine runs no more in this VM. Context: java, lock not held.
     */
    int (*release)(struct agent *a, JNIEnv *env);
};

extern const struct engine *const engine_all[];

/** A set of engines. Each engine has one bit; the bit's number is the engine's place in the
 * registry. */
typedef uint32_t engine_set;

/** The engines that these options ask for. */
engine_set engine_wanted(const struct options *o);
/** The next engine of a set, from place *at of the registry on; NULL at the end. */
const struct engine *engine_next_of(engine_set set, int *at);
enum { ENGINE_WORDS = 256 };
/**
 * What these engines measure, in the words of their users: "CPU samples, monitors"; empty if no
 * engine has words for it.
 */
void engine_words(engine_set set, char ret[ENGINE_WORDS]);
/** The next engine that is at work, from place *at of the registry on; NULL at the end. */
const struct engine *engine_next(const struct agent *a, int *at);
/** The next recording that counts with this engine, from place *at of the agent's list on; NULL at
 * the end. */
struct recording *engine_recording(const struct agent *a, const struct engine *e, int *at);
/**
 * Count an event for all recordings that count with this engine. `whole` is its stack; `is_cut`:
 * the stack had more frames. Returns how many recordings have not counted it. Context: the agent's
 * lock held.
 */
uint32_t engine_count(struct agent *a, const struct engine *e, struct event *event, trace_id whole,
                      bool is_cut);
/**
 * Get what the engine needs of the VM. Errors: 0; E_UNSUPPORTED after a message. Context: OnLoad,
 * or java at attach.
 */
int engine_get_needs(struct agent *a, const struct engine *e);
/** The engine's row for a command; NULL if the engine does not answer it. */
const struct engine_command *engine_command_of(const struct engine *e, const struct net_command *c);
