/*
 * heapdump.h - one heap dump: what is prepared, what the pause adds, how it is written.
 *
 * The way of all ways: a walk of JVM TI begins (FollowReferences), its first callbacks name the
 * roots, and then the process forks: the application goes on after milliseconds, the child writes
 * what it sees frozen (heapdump_fork.c). Where that cannot be, the walk itself goes through the
 * heap and the dump is written inside the pause (heapdump_pause.c). docs/heap-dump.md has the
 * reasons. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent/agent.h"
#include "base/headroom.h"
#include "base/arena.h"
#include "base/sink.h"
#include "format/hprof_heap.h"
#include "agent/heapdump/heapdump_copy.h"
#include "heapdump/dumpwriter.h"
#include "hotspot/target.h"

/* Tags of the dump's own JVM TI environment. Threads have 1, 2, ... */
#define HEAPDUMP_SENTINEL ((jlong)1 << 62)

enum { HEAPDUMP_WHY = 128 };

/** A thread, as it was just before the pause. */
struct heapdump_thread {
    uint32_t serial, trace;      /* serial PROFILE_THREAD_UNKNOWN: the file does not name it */
    jobject ref;                 /* borrowed; NULL one of our own */
    jlong id;                    /* as java.lang.Thread has it; 0 unknown */
    jint depth;                  /* of its stack, */
    jint own_frames;             /* without so many innermost frames of a tracker */
    jmethodID *methods;          /* innermost first; owned */
    int own_locals, own_globals; /* our references to it, still to be met among the roots */
};

/** Shared with the child. */
struct heapdump_status {
    volatile uint64_t progress; /* bytes of the heap that are written */
    volatile uint64_t seen;     /* raised while objects are marked, and all found */
    volatile uint64_t objects, classes, heap_bytes, file_bytes, broken, cut;
    volatile uint64_t unreachable, skipped, lost_links; /* live=n: objects, bytes, references */
    volatile uint64_t same, different, only_heard, only_found, fillers; /* selftest=y: objects */
    volatile uint64_t ns;                                               /* the child's run time */
    volatile uint64_t mark_ns;
    volatile uint64_t next_string;
    volatile uint32_t next_serial;
    volatile int32_t error;
    volatile int32_t is_complete;
    volatile int32_t is_walked;   /* sites were found by a walk of JVM TI */
    volatile int32_t is_siteless; /* the table of tags could not be read after all */
    volatile uint64_t position;   /* of the file, where the dump begins */
    _Atomic int has_turn;         /* the file has all that comes before the dump */
    _Atomic int no_turn;          /* it never will: the file's error, negative */
    char why[HEAPDUMP_WHY];
};

/** The classes of a dump, in the order of its list: heapdump_names.c. */
struct heapdump_names {
    class_id *rows;          /* of the model; 0 none */
    uint64_t *mirrors;       /* addresses in the pause, of those that are listed */
    unsigned char *is_named; /* by row of the model: a stack names it */
    class_id *lent;          /* that the child announces; 0: it does not */
    uint32_t lent_count;
    unsigned char *announced; /* shared with the child: what it has */
    size_t announced_bytes;
};

struct heapdump {
    struct agent *agent;
    jvmtiEnv *jvmti;    /* an environment of our own: our tags are nobody else's */
    jobject sentinel;   /* global reference to an Object[1] that is not empty */
    jfieldID thread_id; /* of java.lang.Thread; NULL unknown */
    int can_fork;
    char why_not[HEAPDUMP_WHY];
    struct target target; /* valid if can_fork was ever 1 */
    struct heap heap;
    struct heap_range *ranges; /* memory for the pause */
    uint32_t range_max;
    /* of the dump that is being made */
    struct arena arena;
    struct heapdump_thread *threads;
    uint32_t thread_count;
    struct heapdump_thread *own_thread; /* that asked: some of its references are ours; NULL */
    jclass *classes;
    struct dumpwriter_known *known; /* one a class */
    jint class_count;
    struct heapdump_names names;
    struct hprof_heap_root *roots;
    uint32_t root_count, root_max;
    struct sink sink; /* what the dump is written to */
    struct hprof_heap out;
    unsigned char *buffer;
    struct heapdump_status *status;
    uint64_t next_string;
    uint32_t next_serial;
    uint64_t pause_ns;
    int own_file; /* with net=: where the dump waits until it is whole; else -1 */
    /* the child */
    pid_t child; /* 0 none */
    pid_t parent;
    jvmtiEnv *walker;          /* whose tags the walk sees: ours, or alloc_env() to find sites */
    struct heapdump_copy copy; /* of a heap that a fork does not freeze */
    uint32_t *sites;      /* in the child: the site of the object at each place of the heap; NULL */
    uint32_t last_thread; /* the one that roots were last found of */
    int is_child, is_calibrated, is_at_roots_end, fork_error;
    int must_walk;            /* a table of tags could not be read: no more tries */
    struct headroom headroom; /* open from before the pause to the child's end */
    const char *no_room;      /* why there was no fork; NULL */
    uint64_t fork_ns;         /* how long it took: its end takes about as long */
    uint64_t forked_ns;       /* in the child: when it began */
    uint64_t child_bytes, child_seen, child_seen_ns; /* most of its own memory; its last progress */
    uint64_t memory_ns, memory_next_ns; /* to ask for its memory takes so long; not before */
    struct heapdump_selftest *selftest; /* while it runs */
    int is_told_to_end;                 /* the child: its memory is not asked for any more */
    int waiter_runs;                    /* a thread of its own looks after the child */
    int is_in_pause;                    /* the last dump was made so */
    int is_told;                        /* the line about the last dump has been printed */
};

/** Before the pause of a dump with sites: the less page tables there are, the shorter is the fork.
 * The headroom is open. Context: no lock. */
void heapdump_large_pages(struct heapdump *d);
/** Whether the heap can be read by a forked child; fills can_fork and why_not. */
void heapdump_fork_open(struct heapdump *d);
/**
 * Walk to the end of the roots and fork. In the parent: 0 with `child` set, or negative when there
 * is no child (`status->why` says why). Context: java, agent's lock held.
 */
int heapdump_fork_start(struct heapdump *d);
/** When memory is short the kernel ends that process first: `path` is its oom_score_adj. */
void heapdump_child_goes_first(const char *path);
/** In the child, at the end of the roots: write, and never return. */
void heapdump_child_run(struct heapdump *d) __attribute__((noreturn));
/** In the callback of a walk: fork. Sets `child` or `is_child`, or `fork_error`. Context: gc. */
void heapdump_fork_here(struct heapdump *d, int at_end);
/**
 * The sink of the dump that is about to be made: the agent's file, from where it ends now; or a
 * file of its own, where a length has to be known before (net=, a pipe). Errors: 0 or negative.
 */
int heapdump_file_open(struct heapdump *d);
/** A file without a name, for this dump alone. Errors: 0 or negative with `status->why`. */
int heapdump_file_own(struct heapdump *d);
/** The agent's file is a pipe, a terminal, a device: no places to go back to, bytes when it likes.
 */
int heapdump_file_is_pipe(const struct heapdump *d);
/** Before a fork: the file has another name until the dump is whole. */
void heapdump_file_set_aside(struct heapdump *d);
/** `status->has_turn` when all that comes before is written; at once for a file of its own. */
void heapdump_file_lend(struct heapdump *d);
/** There is no dump, or it is in the file already. */
void heapdump_file_take_back(struct heapdump *d);
/** The dump has ended: what was written is whole, or it is nothing. The lock is held. */
void heapdump_file_settle(struct heapdump *d);

/** List the classes anew. Errors: 0, E_UNSUPPORTED, -ENOMEM. Context: java, lock held. */
int heapdump_names_take(struct heapdump *d, JNIEnv *env);
/** Behind the last stack that the dump refers to: which classes stacks name. Errors: -ENOMEM. */
int heapdump_names_note_stacks(struct heapdump *d);
/** Without a child: the id of class number `i` of the list, whose object has that tag. */
uint64_t heapdump_names_id(const struct heapdump *d, uint32_t i, uint64_t tag);
/** In the pause: where the classes are, and so which ids they have. Context: gc. */
void heapdump_names_locate(struct heapdump *d);
/** What stacks name, and all stacks, into the file, behind the fork or without one. Lock held. */
void heapdump_names_announce(struct heapdump *d);
/** A dump inside the pause has announced all classes. Lock held. */
void heapdump_names_note_written(struct heapdump *d);
/** In the child, at its end. */
void heapdump_names_note_child(struct heapdump *d, const struct dumpwriter *w);
/** The child has ended. Lock held. */
void heapdump_names_settle(struct heapdump *d);

/** The child has been forked: look after it, in a thread of its own unless the VM dies. */
void heapdump_watch_start(struct heapdump *d);
/** Wait until no child writes any more. Context: java, agent's lock not held. */
void heapdump_watch_settle(struct heapdump *d);
/** One line a dump, once its child has ended. */
void heapdump_watch_say(struct heapdump *d);

/** With selftest=y, before a dump: compare our walk with JVM TI's, and say how it went. */
void heapdump_selftest_run(struct heapdump *d);
/** In the child: do it. `f` has run. Errors: 0; E_UNSUPPORTED. */
int heapdump_selftest_compare(struct heapdump *d, struct heap_find *f);

/** Write the dump by JVM TI, inside the pause. Errors: 0 or negative. Context: java, agent's lock
 * not held: it waits for the file. */
int heapdump_pause_write(struct heapdump *d, JNIEnv *env);
/** Take one root: what JVM TI says of it, as the file has it. Context: gc. */
void heapdump_fork_add_root(struct heapdump *d, jvmtiHeapReferenceKind kind,
                            const jvmtiHeapReferenceInfo *info, uint64_t object);
/** The object behind a global reference, while nothing moves. */
uint64_t heapdump_fork_object(const struct heapdump *d, jobject ref);
/**
 * The address of the object whose tag a heap callback was given; 0: a value that lies flat in
 * another object, and is none of its own.
 *
 * The tag lies in a CallbackWrapper on the VM's stack. Two words before the tag the wrapper has the
 * object's address, or from JDK 28 on the address of a JvmtiHeapwalkObject in the same stack: the
 * object's address, then the offset within it (4 bytes). The VM itself has just read these words,
 * so they are readable; who calls checks the result for an object that is known.
 * Source: HotSpot jvmtiTagMap.cpp. Context: gc.
 */
uint64_t heapdump_fork_tagged(const jlong *tag_ptr);
/** In the child, first of all: nothing of it touches the program. Once. */
void heapdump_child_settle(struct heapdump *d);
/**
 * In the child: find the sites of all objects in the table of tags that the VM keeps.
 * Errors: 0; E_FACT_MISSING it does not look as expected, and no site is known.
 */
int heapdump_sites_read(struct heapdump *d);
/** 1 if heapdump_sites_read() will probably find the table, and has found it the last time.
 * Context: before the pause. */
int heapdump_sites_expect(const struct heapdump *d);
/** In the child, in any thread of it: it does not stand still. */
static inline void heapdump_child_progress(struct heapdump *d, uint64_t by)
{
    __atomic_fetch_add(&d->status->progress, by, __ATOMIC_RELAXED);
}
/** In the child: an object's tag is its site. */
void heapdump_sites_note(struct heapdump *d, uint64_t object, int64_t tag);
/** In the child: where the walk is at its end the VM would go on; then this never returns. */
void heapdump_child_take_over(struct heapdump *d);
/** A root that is a thread has its serial and trace from the thread's tag. Context: gc. */
void heapdump_fork_name_thread(struct heapdump *d, struct hprof_heap_root *r, jlong tag);
