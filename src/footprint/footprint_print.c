/*
 * footprint_print.c - see footprint_print.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "footprint/footprint_print.h"
#include <stdbool.h>
#include <string.h>
#include "base/plural.h"
#include "base/sink.h"
#include "footprint/footprint.h"
#include "footprint/footprint_nmt.h"
#include "format/json_out.h"

static double mb(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* ---- the table */

static void put_row(struct sink *out, const struct footprint_sum *sum, uint64_t whole,
                    bool has_swap, const char *name)
{
    double share = whole > 0 ? 100 * (double)sum->resident / (double)whole : 0;
    sink_printf(out, "%8.1f MB  %5.1f%%  %8.1f MB  %9.1f MB  ", mb(sum->resident), share,
                mb(sum->committed), mb(sum->reserved));
    if (has_swap)
        sink_printf(out, "%8.1f MB  ", mb(sum->swapped));
    if (sum->count > 0)
        sink_printf(out, "%7llu  ", (unsigned long long)sum->count);
    else
        sink_text(out, "         ");
    sink_printf(out, "%s\n", name);
}

static void put_table(struct sink *out, const struct footprint *f)
{
    bool has_swap = f->total.swapped > 0;
    sink_printf(out, "   resident   share    committed      reserved  %s  count  what\n",
                has_swap ? "   swapped  " : "");
    for (int i = 0; i < FOOTPRINT_ROWS; i++)
        if (f->sums[i].reserved > 0)
            put_row(out, &f->sums[i], f->total.resident, has_swap, footprint_words[i].name);
    put_row(out, &f->total, f->total.resident, has_swap, "sum of the rows");
}

static void put_parts(struct sink *out, const struct footprint_part *parts, uint32_t count,
                      uint32_t top)
{
    for (uint32_t i = 0; i < count && i < top && parts[i].sum.resident > 0; i++) {
        const struct footprint_part *p = &parts[i];
        sink_printf(out, "%8.1f MB  %8.1f MB  ", mb(p->sum.resident), mb(p->sum.committed));
        if (p->row == FOOTPRINT_OTHER)
            sink_printf(out, "%c%c%c  %llx-%llx%s%s\n", p->can_read ? 'r' : '-',
                        p->can_write ? 'w' : '-', p->can_execute ? 'x' : '-',
                        (unsigned long long)p->start, (unsigned long long)p->end,
                        p->path[0] != '\0' ? "  " : "", p->path);
        else
            sink_printf(out, "%s\n", p->path);
    }
}

static void put_lists(struct sink *out, const struct footprint *f, uint32_t top)
{
    if (f->file_count > 0 && f->files[0].sum.resident > 0) {
        sink_text(out, "\nfiles\n   resident    committed  file\n");
        put_parts(out, f->files, f->file_count, top);
    }
    if (f->other_count > 0 && f->others[0].sum.resident > 0) {
        sink_text(out, "\nnot explained\n   resident    committed       addresses\n");
        put_parts(out, f->others, f->other_count, top);
    }
}

static void put_nmt(struct sink *out, const struct footprint_nmt *nmt)
{
    uint64_t all = 0;
    sink_text(out, "\nby the VM's own account (native memory tracking)\n"
                   "     malloc    committed      reserved  category\n");
    for (uint32_t i = 0; i < nmt->count; i++) {
        const struct footprint_nmt_row *r = &nmt->rows[i];
        all += r->malloc;
        sink_printf(out, "%8.1f MB  %8.1f MB  %9.1f MB  %s\n", mb(r->malloc), mb(r->committed),
                    mb(r->reserved), r->name);
    }
    sink_printf(out, "%8.1f MB of malloc() are the VM's\n", mb(all));
}

static void put_kept(struct sink *out, const struct footprint_kept *k)
{
    sink_printf(out,
                "\nmalloc() by glibc's own account\n"
                "%8.1f MB  in its arenas: taken from the kernel\n"
                "%8.1f MB  of that in use\n"
                "%8.1f MB  of that free, and kept for the next malloc()\n"
                "%8.1f MB  in large blocks, which free() gives back at once\n",
                mb(k->taken), mb(k->used), mb(k->kept), mb(k->mapped));
    if (k->is_trimmed)
        sink_printf(out,
                    "trimmed: %.1f MB were resident before, %.1f MB are now; of what is free, "
                    "%.1f MB are left\n",
                    mb(k->resident_before), mb(k->resident_after), mb(k->kept_after));
}

static void put_buffers(struct sink *out, const struct footprint *f)
{
    const struct footprint_direct *d = &f->direct;
    if (!d->is_counted || d->count == 0)
        return;
    sink_printf(out, "direct buffers: the JDK counts %llu of %.1f MB%s\n",
                (unsigned long long)d->count, mb(d->bytes),
                d->is_listed ? ""
                             : "; those that its list does not have are in the rows of malloc");
}

static void put_notes(struct sink *out, const struct footprint *f)
{
    if (!f->vm.is_read)
        sink_printf(out, "the VM was not read, so its memory is not explained: %s\n",
                    f->vm.why_not);
    put_buffers(out, f);
    if (f->heaps.allocator == FOOTPRINT_FOREIGN)
        sink_printf(out, "malloc() is that of %s: its memory is not explained\n", f->heaps.name);
    else if (f->heaps.allocator == FOOTPRINT_MUSL)
        sink_text(out, "malloc() is that of musl: its memory is not explained, but for the main "
                       "heap\n");
    if (f->total.huge > 0)
        sink_printf(out, "huge pages: %.1f MB, which no resident size counts\n", mb(f->total.huge));
    sink_printf(out,
                "the kernel has besides, for this process: page tables of %.1f MB, stacks of "
                "%.1f MB\n",
                mb(f->beside.page_tables), mb(f->beside.kernel_stacks));
    if (f->rollup != f->total.resident)
        sink_printf(out,
                    "the process changed while it was read: smaps_rollup says %.1f MB, %llu KB %s "
                    "than the rows\n",
                    mb(f->rollup),
                    (unsigned long long)(distance(f->rollup, f->total.resident) / 1024),
                    f->rollup > f->total.resident ? "more" : "less");
}

void footprint_print_text(struct sink *out, const struct footprint *f, const char *name,
                          uint32_t top, const struct footprint_asked *asked)
{
    sink_printf(out, "%s: %.1f MB resident\n\n", name, mb(f->rollup));
    put_table(out, f);
    put_lists(out, f, top);
    if (asked->kept)
        put_kept(out, asked->kept);
    if (asked->nmt)
        put_nmt(out, asked->nmt);
    sink_text(out, "\n");
    put_notes(out, f);
}

/* ---- JSON */

static void put_string(struct sink *out, const char *text)
{
    json_out_text(out, text, strlen(text));
}

static void put_sum(struct sink *out, const struct footprint_sum *s)
{
    sink_printf(out,
                "\"resident\":%llu,\"committed\":%llu,\"reserved\":%llu,\"swapped\":%llu,"
                "\"huge\":%llu,\"count\":%llu}",
                (unsigned long long)s->resident, (unsigned long long)s->committed,
                (unsigned long long)s->reserved, (unsigned long long)s->swapped,
                (unsigned long long)s->huge, (unsigned long long)s->count);
}

static void put_json_parts(struct sink *out, const char *name, const struct footprint_part *parts,
                           uint32_t count)
{
    sink_printf(out, ",\n\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        sink_printf(out, "%s\n{\"row\":\"%s\",\"path\":", i > 0 ? "," : "",
                    footprint_words[parts[i].row].key);
        put_string(out, parts[i].path);
        sink_printf(out, ",\"start\":\"0x%llx\",\"end\":\"0x%llx\",\"access\":\"%c%c%c\",",
                    (unsigned long long)parts[i].start, (unsigned long long)parts[i].end,
                    parts[i].can_read ? 'r' : '-', parts[i].can_write ? 'w' : '-',
                    parts[i].can_execute ? 'x' : '-');
        put_sum(out, &parts[i].sum);
    }
    sink_u1(out, ']');
}

static void put_json_nmt(struct sink *out, const struct footprint_nmt *nmt)
{
    sink_text(out, ",\n\"nmt\":[");
    for (uint32_t i = 0; i < nmt->count; i++) {
        const struct footprint_nmt_row *r = &nmt->rows[i];
        sink_printf(out, "%s\n{\"category\":", i > 0 ? "," : "");
        put_string(out, r->name);
        sink_printf(out, ",\"malloc\":%llu,\"committed\":%llu,\"reserved\":%llu}",
                    (unsigned long long)r->malloc, (unsigned long long)r->committed,
                    (unsigned long long)r->reserved);
    }
    sink_u1(out, ']');
}

static void put_json_kept(struct sink *out, const struct footprint_kept *k)
{
    sink_printf(out, ",\n\"malloc\":{\"taken\":%llu,\"used\":%llu,\"kept\":%llu,\"mapped\":%llu",
                (unsigned long long)k->taken, (unsigned long long)k->used,
                (unsigned long long)k->kept, (unsigned long long)k->mapped);
    if (k->is_trimmed)
        sink_printf(out, ",\"kept_after\":%llu,\"resident_before\":%llu,\"resident_after\":%llu",
                    (unsigned long long)k->kept_after, (unsigned long long)k->resident_before,
                    (unsigned long long)k->resident_after);
    sink_u1(out, '}');
}

static void put_json_rows(struct sink *out, const struct footprint *f)
{
    sink_text(out, ",\n\"rows\":[");
    for (int i = 0; i < FOOTPRINT_ROWS; i++) {
        sink_printf(out, "%s\n{\"row\":\"%s\",\"name\":", i > 0 ? "," : "", footprint_words[i].key);
        put_string(out, footprint_words[i].name);
        sink_u1(out, ',');
        put_sum(out, &f->sums[i]);
    }
    sink_u1(out, ']');
}

void footprint_print_json(struct sink *out, const struct footprint *f, const char *main,
                          const struct footprint_asked *asked)
{
    static const char *const allocators[] = {
        [FOOTPRINT_GLIBC] = "glibc", [FOOTPRINT_MUSL] = "musl", [FOOTPRINT_UNKNOWN] = "unknown"};
    const char *allocator =
        f->heaps.allocator == FOOTPRINT_FOREIGN ? f->heaps.name : allocators[f->heaps.allocator];
    sink_printf(out, "{\"pid\":%d,\"main\":", (int)f->pid);
    if (main)
        put_string(out, main);
    else
        sink_text(out, "null");
    sink_printf(out,
                ",\"resident\":%llu,\"rollup\":%llu,\"vm\":", (unsigned long long)f->total.resident,
                (unsigned long long)f->rollup);
    if (f->vm.is_read)
        sink_text(out, "true");
    else
        put_string(out, f->vm.why_not);
    sink_text(out, ",\"allocator\":");
    put_string(out, allocator);
    sink_printf(out, ",\"page_tables\":%llu,\"kernel_stacks\":%llu",
                (unsigned long long)f->beside.page_tables,
                (unsigned long long)f->beside.kernel_stacks);
    if (f->direct.is_counted)
        sink_printf(out, ",\"direct\":{\"bytes\":%llu,\"count\":%llu,\"found\":%s}",
                    (unsigned long long)f->direct.bytes, (unsigned long long)f->direct.count,
                    f->direct.is_listed ? "true" : "false");
    put_json_rows(out, f);
    put_json_parts(out, "files", f->files, f->file_count);
    put_json_parts(out, "not_explained", f->others, f->other_count);
    if (asked->kept)
        put_json_kept(out, asked->kept);
    if (asked->nmt)
        put_json_nmt(out, asked->nmt);
    sink_u1(out, '}');
}
