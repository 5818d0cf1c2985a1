/*
 * probe_multi.c - see probe_multi.h. The programs in this file may also be used under the terms of
 * the GNU General Public License, version 2, as the kernel asks of those that write records.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_multi.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "probe/probe_bpf.h"
#include "probe/probe_ring.h"

struct probe_multi {
    struct probe_multi_how how;
    uint32_t rows; /* of numbers, each of how.sites: a row for each processor, if there is room */
    uint64_t *numbers; /* NULL: hits are not counted */
    size_t bytes;
    int map, program; /* descriptors; -1: none */
    int *links;
    uint32_t link_count;
};

enum { AT_KEY = -8, NUMBERS_MOST = 1 << 20 };

/* ---- the programs. Register 6 is what the program is given. */

static void write_record(struct probe_bpf *b, int map)
{
    probe_bpf_move(b, BPF_REG_6, BPF_REG_1);
    probe_bpf_call(b, BPF_FUNC_get_attach_cookie);
    probe_bpf_store(b, BPF_W, PROBE_BPF_STACK, AT_KEY, BPF_REG_0);
    probe_bpf_move(b, BPF_REG_1, BPF_REG_6);
    probe_bpf_map(b, BPF_REG_2, map);
    probe_bpf_set(b, BPF_REG_3, -1);
    probe_bpf_low(b, BPF_REG_3, BPF_REG_3); /* BPF_F_CURRENT_CPU */
    probe_bpf_move(b, BPF_REG_4, PROBE_BPF_STACK);
    probe_bpf_do(b, BPF_ADD, BPF_REG_4, AT_KEY);
    probe_bpf_set(b, BPF_REG_5, sizeof(uint32_t));
    probe_bpf_call(b, BPF_FUNC_perf_event_output);
    probe_bpf_end(b, 0);
}

/* A thread may lose its processor to another one within the program, or between the number of the
 * processor and the count: so one processor may count in the row of another, and each count is one
 * step. Rows keep processors from waiting for each other. */
static void write_count(const struct probe_multi *m, struct probe_bpf *b)
{
    probe_bpf_call(b, BPF_FUNC_get_attach_cookie);
    probe_bpf_move(b, BPF_REG_7, BPF_REG_0);
    probe_bpf_call(b, BPF_FUNC_get_smp_processor_id);
    uint32_t has_row = probe_bpf_jump(b, BPF_JLT, BPF_REG_0, (int32_t)m->rows);
    probe_bpf_set(b, BPF_REG_0, 0);
    probe_bpf_land(b, has_row);
    probe_bpf_do(b, BPF_MUL, BPF_REG_0, (int32_t)m->how.sites);
    probe_bpf_do_with(b, BPF_ADD, BPF_REG_0, BPF_REG_7);
    probe_bpf_store(b, BPF_W, PROBE_BPF_STACK, AT_KEY, BPF_REG_0);
    probe_bpf_map(b, BPF_REG_1, m->map);
    probe_bpf_move(b, BPF_REG_2, PROBE_BPF_STACK);
    probe_bpf_do(b, BPF_ADD, BPF_REG_2, AT_KEY);
    probe_bpf_call(b, BPF_FUNC_map_lookup_elem);
    uint32_t none = probe_bpf_jump(b, BPF_JEQ, BPF_REG_0, 0);
    probe_bpf_set(b, BPF_REG_1, 1);
    probe_bpf_count(b, BPF_REG_0, 0, BPF_REG_1);
    probe_bpf_land(b, none);
    probe_bpf_end(b, 0);
}

/* ---- their place in the kernel */

static int make_program(struct probe_multi *m, struct probe_ring *ring)
{
    struct probe_bpf code = {.count = 0};
    if (m->how.is_counted) {
        m->rows = (uint32_t)ring->processors;
        if (m->rows > NUMBERS_MOST / m->how.sites)
            m->rows = NUMBERS_MOST / m->how.sites;
        if (m->rows == 0)
            return -E2BIG;
        m->map = probe_bpf_new_numbers(m->rows * m->how.sites, &m->numbers, &m->bytes);
        if (m->map < 0)
            return m->map;
        write_count(m, &code);
    } else {
        int error = probe_ring_add_sites(ring, m->how.sites, &m->map);
        if (error)
            return error;
        write_record(&code, m->map);
    }
    m->program = probe_bpf_load_uprobes(&code);
    return m->program < 0 ? m->program : 0;
}

/* The places of one file, of calls or of returns. `room` has space for three numbers of each. */
static int link_file(struct probe_multi *m, const struct probe_ring_place *places, uint32_t count,
                     bool are_returns, uint64_t *room)
{
    uint64_t *offsets = room, *semaphores = room + count, *cookies = room + (size_t)2 * count;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i].is_return != are_returns)
            continue;
        offsets[n] = places[i].offset;
        semaphores[n] = places[i].semaphore;
        cookies[n++] = places[i].site;
    }
    if (n == 0)
        return 0;
    const struct probe_bpf_places at = {.path = places->path,
                                        .offsets = offsets,
                                        .semaphores = semaphores,
                                        .cookies = cookies,
                                        .count = n,
                                        .are_returns = are_returns};
    int link = probe_bpf_link_uprobes(m->program, m->how.pid, &at);
    if (link >= 0)
        m->links[m->link_count++] = link;
    return link < 0 ? link : 0;
}

static int link_all(struct probe_multi *m, const struct probe_ring_place *places, uint32_t count)
{
    uint64_t *room = calloc((size_t)3 * count, sizeof(*room));
    int error = 0;
    m->links = calloc((size_t)2 * count, sizeof(*m->links));
    if (!room || !m->links)
        error = -ENOMEM;
    for (uint32_t from = 0, to; from < count && !error; from = to) {
        for (to = from + 1; to < count && strcmp(places[to].path, places[from].path) == 0; to++)
            ;
        error = link_file(m, places + from, to - from, false, room);
        if (!error)
            error = link_file(m, places + from, to - from, true, room);
    }
    free(room);
    return error;
}

int probe_multi_open(const struct probe_multi_how *how, struct probe_ring *ring,
                     const struct probe_ring_place *places, uint32_t count,
                     struct probe_multi **ret)
{
    struct probe_multi *m = calloc(1, sizeof(*m));
    *ret = NULL;
    if (!m)
        return -ENOMEM;
    *m = (struct probe_multi){.how = *how, .map = -1, .program = -1};
    int error = make_program(m, ring);
    if (!error && !probe_bpf_has_uprobes(m->program))
        error = -EOPNOTSUPP;
    if (!error)
        error = link_all(m, places, count);
    if (error) {
        probe_multi_close(m);
        return error;
    }
    *ret = m;
    return 0;
}

/* A hit that comes at the same time is counted before or behind it. */
void probe_multi_start(struct probe_multi *m)
{
    if (m->numbers)
        for (size_t i = 0; i < m->bytes / sizeof(*m->numbers); i++)
            __atomic_store_n(&m->numbers[i], 0, __ATOMIC_RELAXED);
}

uint64_t probe_multi_hits(const struct probe_multi *m, uint32_t site)
{
    uint64_t hits = 0;
    for (uint32_t row = 0; m->numbers && row < m->rows; row++)
        hits += __atomic_load_n(&m->numbers[(size_t)row * m->how.sites + site], __ATOMIC_RELAXED);
    return hits;
}

void probe_multi_close(struct probe_multi *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->link_count; i++)
        close(m->links[i]);
    if (m->program >= 0)
        close(m->program);
    if (m->map >= 0)
        close(m->map);
    if (m->numbers)
        munmap(m->numbers, m->bytes);
    free(m->links);
    free(m);
}
