/*
 * footprint.c - see footprint.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "footprint/footprint.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "process/process.h"

enum { STATUS_BYTES = 1 << 16, KB = 1024, CLAIMS_MOST = 1 << 24 };

const struct footprint_words footprint_words[FOOTPRINT_ROWS] = {
#define FOOTPRINT(id, key, name, help) {key, name, help},
#include "footprint/footprint.def"
#undef FOOTPRINT
};

/* ---- claims */

static void add(struct footprint *f, struct footprint_claims *c, struct footprint_claim claim)
{
    if (claim.start >= claim.end)
        return;
    if (c->count == c->room) {
        uint32_t wanted = c->room == 0 ? 256 : c->room * 2;
        struct footprint_claim *rows =
            wanted <= CLAIMS_MOST ? reallocarray(c->rows, wanted, sizeof(*rows)) : NULL;
        if (!rows) {
            f->is_bad = true;
            return;
        }
        c->rows = rows;
        c->room = wanted;
    }
    c->rows[c->count++] = claim;
}

void footprint_claim(struct footprint *f, uint64_t start, uint64_t end, enum footprint_row row)
{
    add(f, &f->batch, (struct footprint_claim){start, end, row});
}

static int by_start(const void *a, const void *b)
{
    const struct footprint_claim *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                : (x->end < y->end) - (x->end > y->end);
}

/* Adds what of `claim` none of done.rows[*at...] holds. Rows that end before it are passed. */
static void add_rest(struct footprint *f, struct footprint_claims *merged, uint32_t *at,
                     struct footprint_claim claim)
{
    const struct footprint_claims *done = &f->done;
    while (claim.start < claim.end) {
        while (*at < done->count && done->rows[*at].end <= claim.start)
            add(f, merged, done->rows[(*at)++]);
        uint64_t next = *at < done->count ? done->rows[*at].start : UINT64_MAX;
        uint64_t end = claim.end < next ? claim.end : next;
        add(f, merged, (struct footprint_claim){claim.start, end, claim.row});
        claim.start = end < claim.end ? done->rows[*at].end : claim.end;
    }
}

void footprint_settle(struct footprint *f)
{
    struct footprint_claims merged = {0};
    uint32_t at = 0;
    uint64_t end = 0;
    if (f->batch.count == 0)
        return;
    qsort(f->batch.rows, f->batch.count, sizeof(*f->batch.rows), by_start);
    for (uint32_t i = 0; i < f->batch.count && !f->is_bad; i++) {
        struct footprint_claim claim = f->batch.rows[i];
        if (claim.start < end)
            claim.start = end;
        end = claim.end > end ? claim.end : end;
        add_rest(f, &merged, &at, claim);
    }
    while (at < f->done.count)
        add(f, &merged, f->done.rows[at++]);
    free(f->done.rows);
    f->done = merged;
    f->batch.count = 0;
}

enum footprint_row footprint_claimed_by(const struct footprint *f, uint64_t address,
                                        uint64_t *ret_end)
{
    uint32_t low = 0, high = f->done.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->done.rows[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct footprint_claim *c = low < f->done.count ? &f->done.rows[low] : NULL;
    bool is_claimed = c && c->start <= address;
    *ret_end = is_claimed ? c->end : c ? c->start : UINT64_MAX;
    return is_claimed ? c->row : FOOTPRINT_ROWS;
}

bool footprint_is_claimed(const struct footprint *f, uint64_t address)
{
    uint64_t unused;
    return footprint_claimed_by(f, address, &unused) != FOOTPRINT_ROWS;
}

/* ---- mappings and memory */

const struct smaps_region *footprint_anonymous(const struct footprint *f, uint64_t address)
{
    const struct smaps_region *r = smaps_at(&f->smaps, address);
    bool is_anonymous = r && !r->is_shared && r->inode == 0 &&
                        (r->path[0] == '\0' || strncmp(r->path, "[anon:", 6) == 0);
    return is_anonymous ? r : NULL;
}

bool footprint_load(struct footprint *f, uint64_t address, void *dst, size_t len)
{
    return mem_read(&f->vm.live.mem, address, dst, len) == 0;
}

/* ---- a reading */

static void open_vm(struct footprint *f)
{
    const char *missing = NULL;
    struct footprint_jvm *vm = &f->vm;
    int error = mem_live_open(f->pid, &vm->live);
    if (error < 0) {
        snprintf(vm->why_not, sizeof(vm->why_not), "its memory cannot be read: %s",
                 err_text(error));
        return;
    }
    error = target_open(&vm->live.image, &vm->target, &missing);
    if (error < 0) {
        snprintf(vm->why_not, sizeof(vm->why_not), "%s: %s",
                 error == E_FACT_MISSING ? "its VM does not describe itself"
                                         : "no VM that can be read",
                 missing ? missing : err_text(error));
        return;
    }
    vm->is_read = true;
    vm->has_oops = oops_init(&vm->target, &vm->oops, &missing) == 0;
    vm->has_heap = heap_open(&vm->target, &vm->heap, &missing) == 0;
}

/* A number of kB in a line of /proc/PID/status. */
static uint64_t status_bytes(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    return line ? strtoull(line + strlen(name), NULL, 10) * KB : 0;
}

static void read_beside(struct footprint *f)
{
    char *text;
    if (process_file(f->task, "status", STATUS_BYTES, &text) < 0)
        return;
    f->beside.page_tables = status_bytes(text, "\nVmPTE:");
    free(text);
}

/* The order is the order of precedence. */
static void claim_all(struct footprint *f)
{
    footprint_malloc_look(f);
    if (f->vm.is_read) {
        footprint_vm(f);
        footprint_threads_java(f);
        footprint_buffers(f);
    }
    footprint_files_bss(f);
    footprint_malloc_arenas(f);
    footprint_malloc_blocks(f);
    footprint_threads_other(f);
    if (f->vm.is_read)
        footprint_chase(f);
}

int footprint_read(pid_t pid, struct footprint *ret)
{
    struct process process;
    *ret = (struct footprint){.pid = pid, .vm = {.live = {.mem_fd = -1}}};
    int error = process_read(pid, &process);
    ret->task = error == 0 ? process.task : pid;
    if (error == 0 && process.state == 'Z')
        error = -ESRCH;
    if (error == 0) {
        open_vm(ret);
        error = smaps_read(ret->task, &ret->smaps, &ret->rollup);
    }
    if (error == E_FORMAT)
        error = -ESRCH; /* a process that has ended has no mappings */
    if (error < 0)
        return error;
    read_beside(ret);
    claim_all(ret);
    return ret->is_bad ? -ENOMEM : footprint_sums(ret);
}

void footprint_done(struct footprint *f)
{
    target_close(&f->vm.target);
    mem_live_close(&f->vm.live);
    smaps_done(&f->smaps);
    free(f->files);
    free(f->others);
    free(f->batch.rows);
    free(f->done.rows);
    *f = (struct footprint){.vm = {.live = {.mem_fd = -1}}};
}
