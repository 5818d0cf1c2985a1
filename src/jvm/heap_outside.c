/*
 * heap_outside.c - see heap_outside.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/heap_outside.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include "base/err.h"
#include "base/headroom.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/say.h"
#include "heapimage/heapimage.h"
#include "heapimage/heapimage_dump.h"
#include "jvm/asking.h"
#include "jvm/max_stop.h"
#include "jvm/outside.h"
#include "mem/mem_stop.h"
#include "process/process.h"
#include "safe/clock.h"
#include "snapshot/snapshot_live.h"

enum {
    FRAMES_MAX = 100000,
    /* Ranks of pages of a live process: those of snapshot_live_look() and of the heap's lists,
     * which are read again in the stop; and those that were looked through in search of the lists.
     */
    RANKS = 3,
    RANK_SEARCH = 3,
    COPY_BYTES_PER_NS = 2, /* half of what a quiet machine does; docs/measurements/heap-dump.md */
};

static const char *text_of(const struct heapimage *h, int error)
{
    return h->why && h->why[0] ? h->why : err_text(error);
}

int heap_outside_say(const char *name, const struct heapimage *h, int error)
{
    if (error == E_FACT_MISSING)
        say("%s: its heap cannot be read: this version of the VM does not tell %s", name,
            text_of(h, error));
    else
        say("%s: its heap cannot be read: %s", name, text_of(h, error));
    return CMD_FAILED;
}

static double megabytes(uint64_t bytes)
{
    return (double)bytes / 1e6;
}

int64_t heap_outside_time_ms(const char *name)
{
    struct stat st;
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    if (outside_vm_is_core(name) && stat(name, &st) == 0)
        when = st.st_mtim;
    return (int64_t)when.tv_sec * 1000 + when.tv_nsec / 1000000;
}

int heap_outside_write(struct heapimage *h, const char *name, const char *folder, int fd,
                       const struct heapimage_dump_how *how, struct heapimage_dump *ret_dump)
{
    struct sink sink = {.fd = -1};
    int error = sink_init(&sink, fd);
    if (error == 0)
        error = heapimage_dump_write(h, &sink, how, ret_dump);
    int done = sink_done(&sink);
    error = error ? error : done;
    if (done < 0)
        say("%s: its dump in %s: %s", name, folder, err_text(done));
    else if (error)
        heap_outside_say(name, h, error);
    return error;
}

void heap_outside_say_written(const char *name, const char *output, const struct heapimage *h,
                              const struct heapimage_dump *d)
{
    say("%s: %s: %" PRIu64 " objects", name, output, d->objects);
    const struct stack_oops_counts *f = &h->roots.frames;
    uint32_t exact = f->compiled + f->interpreted;
    if (exact > 0)
        say("%s: the references of %u of %u Java frames are known: %u roots", name, exact,
            exact + f->unsure, h->of_stacks.exact);
    if (h->of_stacks.guessed > 0)
        say("%s: %u words that may be references count as roots; nothing else holds %" PRIu64
            " objects",
            name, h->of_stacks.guessed, h->of_stacks.objects);
    if (d->cuts.count > 0)
        say("%s: %" PRIu64 " arrays are longer than the format allows, and were cut", name,
            d->cuts.count);
}

/* ---- what is missing */

/* Returns an exit status: CMD_FAILED if there is too little to go on with. */
static int say_missing(const struct outside_vm *vm, const struct heapimage *h)
{
    if (h->copy.missing == 0)
        return CMD_OK;
    say("%s: %.1f MB of the %.1f MB of the heap in use are missing%s", vm->name,
        megabytes(h->copy.missing), megabytes(h->used_bytes),
        !vm->is_core      ? ""
        : vm->core.is_cut ? ": the core was cut"
        : h->heap.collector == HEAP_ZGC
            ? " in the core: 'echo 0x33 > /proc/PID/coredump_filter' before the crash keeps shared "
              "memory"
            : " in the core: 'echo 0x33 > /proc/PID/coredump_filter' before the crash keeps the "
              "heap");
    return h->copy.missing * 2 > h->used_bytes ? CMD_FAILED : CMD_OK;
}

/* Says how well the heap could be read. Returns an exit status. */
static int say_quality(const char *name, const struct heapimage *h)
{
    const struct heap_mark *m = &h->find.mark;
    const struct heap_find_parse *p = &h->find.parse;
    if (h->is_in_gc)
        say("%s: it stands in the middle of a collection: objects that were being moved may be "
            "missing, or there twice",
            name);
    if (m->broken > 0)
        say("%s: %" PRIu64 " references lead to no object, and count as null", name, m->broken);
    if (h->broken_lists > 0)
        say("%s: %u class loaders have lists of classes that break off: objects of the other "
            "classes are missing",
            name, h->broken_lists);
    if (p->skipped > 0)
        say("%s: %" PRIu64 " bytes of the heap hold nothing that is an object now", name,
            p->skipped);
    return h->copy.missing > 0 || h->broken_lists > 0 || h->is_in_gc ? CMD_FAILED : CMD_OK;
}

/* ---- the objects */

static int find_and_work(const struct outside_vm *vm, struct heapimage *h,
                         const struct heap_outside *how)
{
    int status = say_missing(vm, h);
    if (status != CMD_OK)
        return status;
    if (!how->is_live && h->is_reachable_only)
        say("%s: only objects that can be reached are found: nothing tells where the others begin "
            "in the heap of ZGC",
            vm->name);
    int error = heapimage_find(h, !how->is_live);
    if (error)
        return heap_outside_say(vm->name, h, error);
    status = say_quality(vm->name, h);
    int done = how->job(h, vm->name, how->with);
    return done != CMD_OK ? done : status;
}

static int work_on_core(struct outside_vm *vm, struct snapshot *s, struct heapimage *h,
                        const struct heap_outside *how)
{
    s->is_core = true;
    s->pid = vm->core.pid;
    s->signal = vm->core.signal;
    if (s->signal != 0)
        s->crashed = &vm->core.image.threads[0];
    int error = snapshot_take(s, SNAPSHOT_JAVA, FRAMES_MAX);
    if (!error)
        error = heapimage_open(h, s);
    if (!error)
        error = heapimage_collect(h);
    int status = error         ? heap_outside_say(vm->name, h, error)
                 : how->refuse ? how->refuse(vm->name, h->used_bytes, how->with)
                               : CMD_OK;
    if (status == CMD_OK) {
        error = heapimage_copy_of_core(h, &vm->core, vm->name);
        status = error ? heap_outside_say(vm->name, h, error) : find_and_work(vm, h, how);
    }
    outside_vm_say_missing_files(vm->name, &vm->core);
    return status;
}

/* ---- a process */

/* Says how long the process will stand. Returns an exit status: CMD_FAILED if that is too long, or
 * if there is no room for the copy. */
static int say_before(const char *name, const struct heapimage *h, uint64_t look_ns,
                      uint64_t most_ns)
{
    uint64_t expected_ns = look_ns + h->used_bytes / COPY_BYTES_PER_NS;
    struct headroom room = {.count = 0};
    char expected[32];
    int status = CMD_OK;
    snprintf(expected, sizeof(expected), "%s", max_stop_text(expected_ns));
    headroom_open(&room, "/proc");
    const char *lack = headroom_lacks(&room, h->used_bytes + h->used_bytes / 8, 0);
    if (lack) {
        say("%s: there is no room for a copy of %.1f MB of its heap: %s", name,
            megabytes(h->used_bytes), lack);
        status = CMD_FAILED;
    } else if (most_ns != 0 && expected_ns > most_ns) {
        say("%s: it would stand still for about %s, %.1f MB of its heap being in use; the bound is "
            "%s: use --max-stop none",
            name, expected, megabytes(h->used_bytes), max_stop_text(most_ns));
        status = CMD_FAILED;
    } else {
        say("%s: will stand still for about %s: %.1f MB of its heap are in use", name, expected,
            megabytes(h->used_bytes));
    }
    headroom_close(&room);
    return status;
}

static bool is_over(void *with)
{
    return mem_stop_bound_is_over(with, clock_monotonic_ns());
}

/* Reads all while the process stands. When the bound is over, reads fail from then on. Errors: as
 * heapimage_collect(); -ETIMEDOUT. */
static int take(struct outside_vm *vm, struct snapshot *s, struct heapimage *h,
                struct mem_stop_bound *bound)
{
    vm->live.is_over = is_over;
    vm->live.is_over_with = bound;
    mem_live_age(&vm->live);
    for (unsigned rank = 0; rank < RANKS; rank++)
        mem_live_refresh(&vm->live, rank);
    int error = snapshot_take(s, SNAPSHOT_JAVA, FRAMES_MAX);
    if (!error)
        error = heapimage_collect(h);
    if (!error)
        error = heapimage_copy_of_live(h, &vm->live, is_over, bound);
    mem_live_unseal(&vm->live);
    return bound->was_over ? -ETIMEDOUT : error;
}

static int stop_and_take(struct outside_vm *vm, struct snapshot *s, struct heapimage *h,
                         const struct heap_outside *how)
{
    struct mem_stop_bound bound = {.most_ns = how->max_stop_ns};
    struct mem_stop stop;
    int error = mem_stop_all(&vm->live, &bound, &stop);
    bool is_frozen = error == -ETIMEDOUT && process_is_frozen(vm->live.pid);
    if (error < 0 && !is_frozen) {
        outside_say_stop(vm->name, vm->live.pid, error, &bound, false);
        return CMD_FAILED;
    }
    if (is_frozen)
        bound = (struct mem_stop_bound){.most_ns = 0}; /* it stands anyway */
    error = take(vm, s, h, &bound);
    s->stopped_ns = is_frozen ? 0 : mem_stop_end(&stop);
    if (error == -ETIMEDOUT) {
        say("%s: stopped for %s, the bound of --max-stop: its heap was not read to the end",
            vm->name, max_stop_text(s->stopped_ns));
        return CMD_FAILED;
    }
    if (error)
        return heap_outside_say(vm->name, h, error);
    if (is_frozen)
        say("%s: its control group is frozen: read as it is", vm->name);
    else
        say("%s: stood still for %.1f ms", vm->name, (double)s->stopped_ns / 1e6);
    return CMD_OK;
}

/* The first look, at the running process, finds out which memory is needed. What it reads may be
 * torn, so its errors do not count. */
static int work_on_live(struct outside_vm *vm, struct snapshot *s, struct heapimage *h,
                        const struct heap_outside *how)
{
    int error = snapshot_live_look(s, &vm->live, SNAPSHOT_JAVA, FRAMES_MAX);
    vm->live.rank = RANK_SEARCH;
    if (!error)
        error = heapimage_open(h, s);
    if (error)
        return heap_outside_say(vm->name, h, error);
    vm->live.rank = 0;
    uint64_t begin_ns = clock_monotonic_ns();
    (void)heapimage_collect(h);
    int status = say_before(vm->name, h, clock_monotonic_ns() - begin_ns, how->max_stop_ns);
    if (status == CMD_OK && how->refuse)
        status = how->refuse(vm->name, h->used_bytes, how->with);
    if (status != CMD_OK)
        return status;
    error = heapimage_prepare(h);
    if (error)
        return heap_outside_say(vm->name, h, error);
    status = stop_and_take(vm, s, h, how);
    return status == CMD_OK ? find_and_work(vm, h, how) : status;
}

static int work(struct outside_vm *vm, void *with)
{
    const struct heap_outside *how = with;
    struct image *image = vm->is_core ? &vm->core.image : &vm->live.image;
    struct snapshot s = {0};
    struct heapimage h = {.why = ""};
    const char *missing = "";
    int status = CMD_FAILED;
    int error = snapshot_open(&s, image, false, &missing);
    if (error < 0 && vm->is_core)
        outside_vm_say_core(vm->name, &vm->core, error, missing);
    else if (error < 0)
        outside_say_open_live(vm->name, vm->live.pid, error, missing);
    else
        status = vm->is_core ? work_on_core(vm, &s, &h, how) : work_on_live(vm, &s, &h, how);
    heapimage_close(&h);
    snapshot_close(&s);
    return status;
}

int heap_outside_each(const struct asking_line *line, const struct heap_outside *how)
{
    return asking_each_outside(line, work, (void *)(uintptr_t)how);
}
