/*
 * kernel_ring.c - see kernel_ring.h.
 *
 * A record consists of these words of eight bytes: header, ip, n, n addresses (those from
 * PERF_CONTEXT_MAX up are marks), ABI of the registers (0: there are no registers), sp, pc. A
 * record may go round the ring's end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/kernel_ring.h"
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include "safe/regs.h"
#include "safe/walk.h"

#if defined(__x86_64__)
#define USER_SP PERF_REG_X86_SP
#define USER_PC PERF_REG_X86_IP
#elif defined(__aarch64__)
#define USER_SP PERF_REG_ARM64_SP
#define USER_PC PERF_REG_ARM64_PC
#endif

enum {
    WORD_COUNT = 1, /* indices of words in a record, counted behind its header */
    WORD_CHAIN = 2,
    SYSCALL_BYTES_MAX = 4, /* pc goes back by this to start a system call again */
};

struct record {
    const uint64_t *ring;
    uint64_t mask,
        at; /* bytes of the ring - 1; place of the record's first word behind the header */
    uint64_t words;
};

void kernel_ring_ask(struct perf_event_attr *attr)
{
    attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER;
    attr->sample_regs_user = (uint64_t)1 << USER_SP | (uint64_t)1 << USER_PC;
    attr->exclude_callchain_user = 1;
}

static uint64_t word_at(const struct record *r, uint64_t word)
{
    return r->ring[((r->at + word * 8) & r->mask) / 8];
}

/* Find the last whole sample between tail and head. Returns 1, or 0 if there is none. */
static int find_last(const struct perf_event_mmap_page *page, size_t page_bytes, struct record *r)
{
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
    int found = 0;
    r->ring = (const uint64_t *)((const char *)page + page_bytes);
    r->mask = page_bytes - 1;
    while (head - tail >= 8 && head - tail <= page_bytes && (tail & 7) == 0) {
        uint64_t header = r->ring[(tail & r->mask) / 8], size = header >> 48;
        if (size < 8 || size % 8 != 0 || size > head - tail)
            break;
        if ((uint32_t)header == PERF_RECORD_SAMPLE) {
            r->at = tail + 8;
            r->words = size / 8 - 1;
            found = 1;
        }
        tail += size;
    }
    return found;
}

/* Whether the kernel will go back to the code that was interrupted according to `regs`. */
static bool is_of(const struct record *r, uint64_t word, const struct regs *regs)
{
    return word_at(r, word) != PERF_SAMPLE_REGS_ABI_NONE && word_at(r, word + 1) == regs->sp &&
           word_at(r, word + 2) - regs->pc <= SYSCALL_BYTES_MAX;
}

int kernel_ring_read(const void *ring, size_t page_bytes, const struct regs *regs,
                     struct walk_frame *frames, uint32_t max)
{
    struct record r = {0};
    uint64_t count;
    uint32_t n = 0;
    bool is_first = true, is_kernel = false;
    if (!find_last(ring, page_bytes, &r) || r.words < WORD_CHAIN)
        return 0;
    count = word_at(&r, WORD_COUNT);
    if (count == 0 || count > r.words - WORD_CHAIN)
        return 0;
    if (r.words - WORD_CHAIN - count < 3 || !is_of(&r, WORD_CHAIN + count, regs))
        return -1;
    for (uint64_t i = 0; i < count && n < max; i++) {
        uint64_t address = word_at(&r, WORD_CHAIN + i);
        if (address >= (uint64_t)PERF_CONTEXT_MAX) {
            is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
        } else if (is_kernel) {
            frames[n++] = (struct walk_frame){
                .method = is_first ? address : address - 1, .bci = -1, .kind = WALK_KIND_KERNEL};
            is_first = false;
        }
    }
    return (int)n;
}

void kernel_ring_empty(void *ring)
{
    struct perf_event_mmap_page *page = ring;
    __atomic_store_n(&page->data_tail, __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
}
