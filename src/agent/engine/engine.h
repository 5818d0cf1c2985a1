/*
 * engine.h - the registry of engines: what can be measured.
 *
 * Each engine is one file engine_NAME.c that exports one `const struct engine`; the list in
 * src/meson.build is the whole registry. life/ calls the functions in the order of the VM's
 * life; an engine that fails says so once and does nothing from then on.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "format/net_command.h"
#include "vm/vm_env.h"

struct agent;
struct options;
struct options_group;
struct recording;
struct thread;
struct vm_threads_row;

/**
 * A thing that an engine must have of the VM before its load(), where it can still be had. `env`:
 * of an environment of the engine's own, opened for the first of them; NULL: where the floor has
 * it, for events (vm_event.h) or, with can_retransform_classes, for injection (injector.h).
 */
struct engine_need {
    int asked; /* only where the options ask for the engine with this value; 0: always */
    enum vm_capability what;
    jvmtiEnv **env;
    const char *refused; /* what is said then, with %s for the reason; NULL: it can do without */
};

/** A command of the HPROF socket protocol that the engine answers. */
struct engine_command {
    enum net_command_tag tag;
    enum net_command_op op; /* of NET_COMMAND_CONTROL */
    const char *name;       /* as messages call it */
    /**
     * Errors: 0; E_UNSUPPORTED when it cannot be answered, as without options that ask for it;
     * another negative code after a message. Context: java, lock held.
     */
    int (*answer)(struct agent *a, struct recording *r, const struct net_command *c);
};

/** What an engine owns of what is shared; all may be 0. */
struct engine_owns {
    const struct engine_need *needs;
    int need_count;
    const struct engine_command *commands;
    int command_count;
    /** What it keeps for each thread: vm_threads_slot(thread->vm, per_thread). */
    struct vm_threads_row *per_thread;
    /** What the names of its quality counts begin with, which a check holds the folder to; NULL: it
     * has none, or (cpu) all others. */
    const char *counts;
};

enum { ENGINE_STATUS = 640 };

/** How an engine works for several recordings at one time. */
struct engine_sharing {
    /** Why it can work for one recording at a time only; NULL: for any number. */
    const char *alone;
    /**
     * The recording `r`, which wants this engine, begins: what was counted before is not its. The
     * engine has just started, or works already for others. Errors: 0; negative after a message:
     * `r` does not begin. May be NULL. Context: java, lock held.
     */
    int (*join)(struct agent *a, struct recording *r);
    /** The recording has ended, or has not begun after all; also without a join(). May be NULL.
     * Context: as above. */
    void (*part)(struct agent *a, struct recording *r);
    /**
     * What all recordings have together (agent.options) is another now: its finest interval, its
     * deepest stacks. Errors: 0; negative after a message: it works as before. May be NULL.
     * Context: as above.
     */
    int (*retune)(struct agent *a);
};

struct engine {
    const char *name;
    const char *help;    /* one line */
    const char *dumping; /* what the line "Dumping ..." says of it; NULL: nothing */
    const char *begun;   /* what it measures, for the line after an attach; NULL: nothing */
    /** What it owns of the option string, and what asks for it there. */
    const struct options_group *options;
    struct engine_owns owns;
    /**
     * Before the VM starts, or at attach: names that the options give, memory. Errors: 0, or
     * negative after a message: then the VM does not start, or the attach fails. Context: any.
     */
    int (*prepare)(const struct options *o);
    /**
     * With JVM TI there, and what the engine needs: set flags of the VM, subscribe to events.
     * Before the VM makes its first thread, or at attach, after prepare(). May be NULL. Errors: as
     * prepare(); E_UNSUPPORTED after a message that names what the VM refuses: the engine is left
     * out and the others go on. Context: OnLoad, or java at attach.
     */
    int (*load)(struct agent *a);
    /** VM_INIT or attach. Errors: 0, or negative after a message: it stays off, and a recording of
     * a command does not begin. Context: java. */
    int (*start)(struct agent *a, JNIEnv *env);
    /** All engines have started. May be NULL. Context: java, lock not held. */
    void (*ready)(struct agent *a);
    /**
     * A Java thread begins, on that thread, or is found at start; it ends. May be NULL. Context:
     * java, lock held.
     */
    void (*thread_start)(struct agent *a, struct thread *thread);
    void (*thread_end)(struct agent *a, struct thread *thread);
    /** Each second while it is at work (agent/beat.h). May be NULL. Context: java, lock held. */
    void (*beat)(struct agent *a, JNIEnv *env);
    struct engine_sharing sharing;
    /** Before a dump or a request: wait for an earlier one. May be NULL. Context: java, no lock. */
    void (*settle)(struct agent *a);
    /**
     * Write the table of the recording's time since its last dump. May be NULL. Context: java, lock
     * held; it may be let go of in between: nobody else dumps meanwhile, and nobody closes the
     * file.
     */
    void (*dump)(struct agent *a, struct recording *r);
    /** Whether what dump() began goes on; then agent_dump_written() follows. May be NULL. Needs the
     * lock. */
    bool (*is_pending)(struct agent *a);
    /** With verbose=y, after a dump: one line about its quality. May be NULL. */
    void (*say)(struct agent *a, struct recording *r);
    /** For the command status: "samples=12 lost=0", a text in quotes. May be NULL. Context: java,
     * lock held. */
    void (*status)(struct agent *a, struct recording *r, char ret[ENGINE_STATUS]);
    /** The VM is about to die, and all recordings still run. May be NULL. Context: java, no lock.
     */
    void (*dying)(struct agent *a, JNIEnv *env);
    /**
     * VM_DEATH, or measuring was told to stop (agent.is_leaving): stop measuring; dump may still be
     * called once after it. May be NULL. Context: java, lock not held.
     */
    void (*stop)(struct agent *a);
    /**
     * After stop() and the last dump, or where something after prepare() has failed: give back what
     * prepare(), load() and start() have taken, so that prepare() can follow again. NULL:
     * the engine runs once in a VM. Errors: 0; negative after a message when something of it is
     * still at work: then it runs no more in this VM. Context: java, lock not held.
     */
    int (*release)(struct agent *a, JNIEnv *env);
};

extern const struct engine *const engine_all[];

/** A set of engines: one bit an engine, by its place in the registry. */
typedef uint32_t engine_set;

/** The engines that these options ask for. */
engine_set engine_wanted(const struct options *o);
/** The next engine of a set, from place *at of the registry on; NULL at the end. */
const struct engine *engine_next_of(engine_set set, int *at);
/** The same of those that are at work. */
const struct engine *engine_next(const struct agent *a, int *at);
/** The recording that counts with this engine, from place *at of the agent's list on; NULL at the
 * end. */
struct recording *engine_recording(const struct agent *a, const struct engine *e, int *at);
/**
 * Get what the engine needs of the VM. Errors: 0; E_UNSUPPORTED after a message. Context: OnLoad,
 * or java at attach.
 */
int engine_get_needs(struct agent *a, const struct engine *e);
/** The engine's row of a command, or NULL. */
const struct engine_command *engine_command_of(const struct engine *e, const struct net_command *c);
