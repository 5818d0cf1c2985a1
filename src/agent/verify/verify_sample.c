/*
 * verify_sample.c - see verify_sample.h.
 *
 * Memory: a few scratch areas; a handler takes the first free one. The code reads the same memory
 * of the VM as the two walkers and safe/hs_names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_sample.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include "agent/verify/verify_frames.h"
#include "agent/verify/verify_numbers.h"
#include "agent/verify/verify_shadow.h"
#include "agent/verify/verify_table.h"
#include "safe/bell.h"
#include "safe/clock.h"
#include "safe/hs_cursor.h"
#include "safe/hs_method.h"
#include "safe/mem_self.h"
#include "safe/regs.h"
#include "safe/walk_agct.h"
#include "safe/walk_vm.h"

enum {
    FRAMES = VERIFY_SAMPLE_FRAMES,
    SCRATCHES = 16,
    RANDOM_AT_ONCE = 200, /* walks from damaged registers in one handler */
    RANDOM_FRAMES = 128,
    BEFORE_DIFFERENCE = 2, /* frames that an example shows further in than the difference */
    PLACES_MAX = 20000,    /* places looked at in the debug data of one compiled method */
    LEVELS_MAX = 100,
    WRITING = 1, /* in place of a thread's address: a sample is being written */
    FINISH_MS = 1000,
};

static struct scratch {
    _Atomic int taken;
    uint64_t seed;
    struct walk_frame walked[FRAMES];
    struct verify_frame ours[FRAMES], theirs[FRAMES];
    uint64_t hashes[FRAMES], wanted[VERIFY_SHADOW_MAX];
    uint32_t numbers[VERIFY_SHADOW_MAX];
} * scratches;

static const struct hs_memory *memory;
static const struct hs_layout *layout; /* of `memory` */
static _Atomic int64_t random_left;

static struct {
    _Atomic uint64_t thread; /* 0: no sample is wanted, or the sample has come */
    struct bell came;
    struct verify_sample_kept sample;
} kept;

/* ---- one moment */

struct moment {
    struct walk_request *request;
    struct regs regs;
    struct scratch *s;
    uint32_t state;
    int result, asgct; /* frames, or -(1 + cause) */
    uint32_t count, their_count;
    bool cut;
    bool has_shadow; /* the walk was compared with a shadow stack */
    int shadow_says; /* 1: the walk has all of the shadow stack */
    int shadow_says_theirs;
};

void verify_sample_keep(struct verify_example *e, uint32_t at, const struct verify_frame *ours,
                        uint32_t our_count, const struct verify_frame *theirs, uint32_t count)
{
    uint32_t from = at > BEFORE_DIFFERENCE ? at - BEFORE_DIFFERENCE : 0, kept_frames;
    e->cause = -1;
    e->at = at;
    e->from = e->other_from = from;
    e->our_total = our_count;
    e->total = count;
    kept_frames = our_count > from ? our_count - from : 0;
    e->our_count = kept_frames < VERIFY_EXAMPLE_FRAMES ? kept_frames : VERIFY_EXAMPLE_FRAMES;
    kept_frames = count > from ? count - from : 0;
    e->count = kept_frames < VERIFY_EXAMPLE_FRAMES ? kept_frames : VERIFY_EXAMPLE_FRAMES;
    memcpy(e->ours, ours + from, e->our_count * sizeof(*ours));
    memcpy(e->theirs, theirs + from, e->count * sizeof(*theirs));
}

void verify_sample_keep_shadow(struct verify_example *e, uint32_t missing, const uint32_t *numbers,
                               uint32_t depth)
{
    uint32_t at = depth - 1 - missing; /* index from the innermost frame, as stacks are shown */
    e->at = at;
    e->total = depth;
    e->other_from = at > BEFORE_DIFFERENCE ? at - BEFORE_DIFFERENCE : 0;
    e->count = 0;
    for (uint32_t i = e->other_from; i < depth && e->count < VERIFY_EXAMPLE_FRAMES; i++)
        e->theirs[e->count++] =
            (struct verify_frame){.id = numbers[depth - 1 - i], .kind = VERIFY_FRAME_SHADOW};
}

static void keep_place(uint64_t pc, struct verify_place *place)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_blob blob;
    *place = (struct verify_place){.pc = pc};
    if (mem_read(&mem_self, pc - 8, place->bytes, sizeof(place->bytes)) < 0)
        memset(place->bytes, 0, sizeof(place->bytes));
    place->is_code = hs_code_find(&v, layout, pc, &blob) != 0;
    if (!place->is_code)
        return;
    place->offset = (uint32_t)(pc - blob.code);
    place->frame_size = blob.frame_size;
    place->frame_complete = blob.frame_complete;
    if (mem_read(&mem_self, mem_view_u8(&v, blob.start + (uint64_t)layout->blob_name), place->name,
                 sizeof(place->name) - 1) < 0)
        place->name[0] = '\0';
}

static void keep(const struct moment *m, struct verify_example *e, uint32_t at)
{
    if (!e)
        return;
    verify_sample_keep(e, at, m->s->ours, m->count, m->s->theirs, m->their_count);
    e->state = m->state;
    keep_place(m->regs.pc, &e->place);
    if (m->result < 0)
        e->cause = -m->result - 1;
}

static void take_ours(struct moment *m)
{
    const void *window = (const void *)(uintptr_t)(m->regs.sp & ~(uint64_t)7);
    struct mem_view v = {.mem = &mem_self};
    uint64_t thread = m->request->java_thread;
    m->state = hs_layout_state(layout, mem_view_u4(&v, thread + (uint64_t)layout->thread_state));
    m->result = walk_vm_thread(memory, thread, &m->regs, window, m->s->walked, FRAMES, &m->cut);
    if (m->result > 0) {
        m->count = (uint32_t)m->result;
        verify_frames_of_walk(m->s->walked, m->count, m->s->ours);
    }
}

static void take_theirs(struct moment *m)
{
    bool cut;
    m->asgct = walk_agct.walk(m->request, m->s->walked, FRAMES, &cut);
    if (m->asgct <= 0)
        return;
    m->their_count = (uint32_t)m->asgct;
    for (uint32_t i = 0; i < m->their_count; i++)
        m->s->theirs[i] = verify_frames_of_id(m->s->walked[i].method, m->s->walked[i].bci);
}

static void judge_walk(struct moment *m)
{
    enum walk_cause cause = m->result < 0 ? (enum walk_cause)(-m->result - 1) : WALK_NO_JAVA_FRAME;
    if (m->result > 0) {
        verify_table_add(VERIFY_WALK_COMPLETE, 1);
        verify_table_add(VERIFY_WALK_TRUNCATED, m->cut);
        return;
    }
    if (cause == WALK_NO_JAVA_FRAME && m->their_count == 0) {
        verify_table_add(VERIFY_WALK_NO_JAVA, 1);
        return;
    }
    verify_table_add(VERIFY_WALK_FAILED, 1);
    verify_table_add(VERIFY_WALK_ONLY_THEIRS, (uint64_t)(m->their_count > 0));
    verify_table_add_failure(cause, 0);
    keep(m, verify_table_example("walk", walk_cause_word(cause), 1), 0);
}

static const char *trust_word(const struct moment *m)
{
    static const char *const words[] = {"disagreed.anchor", "disagreed.exact", "disagreed.decoded",
                                        "disagreed.shifted", "disagreed.scanned"};
    unsigned trust = m->count > 0 ? m->s->ours[0].trust : 0;
    return words[trust < sizeof(words) / sizeof(words[0]) ? trust : 0];
}

/* Whether a stack has all of the shadow stack; *ret_found: how many entries of it. */
static int contains(struct moment *m, const struct verify_frame *frames, uint32_t count,
                    uint32_t depth, uint32_t *ret_found)
{
    for (uint32_t i = 0; i < count; i++)
        m->s->hashes[i] = verify_frames_hash(&frames[i]);
    *ret_found = verify_compare_contains(m->s->hashes, count, m->s->wanted, depth);
    return *ret_found == depth;
}

static uint64_t hash_of_method(uint64_t method)
{
    struct walk_frame walked = {.method = method};
    struct verify_frame f;
    verify_frames_of_walk(&walked, 1, &f);
    return verify_frames_hash(&f);
}

static uint32_t strike(uint64_t *wanted, uint32_t count, uint64_t hash)
{
    uint32_t struck = 0;
    for (uint32_t i = 0; i < count && hash != 0; i++) {
        if (wanted[i] == hash) {
            wanted[i] = 0;
            struck++;
        }
    }
    return struck;
}

/*
 * Strike out those of `wanted` that are inlined anywhere in the code of `nm`. Returns how many are
 * left.
 */
static uint32_t strike_inlined(struct mem_view *v, const struct hs_blob *blob,
                               const struct hs_nmethod *nm, uint64_t *wanted, uint32_t count)
{
    uint64_t size = (uint64_t)layout->pcdesc_size, at = nm->pcs;
    struct hs_scope scope;
    uint32_t left = count;
    bool exact;
    for (int n = 0; left > 0 && at < nm->pcs_end && n < PLACES_MAX; n++, at += size) {
        uint64_t pc = blob->code + mem_view_u4(v, at + (uint64_t)layout->pcdesc_pc);
        if (!hs_code_scope(v, layout, blob, nm, pc, &scope, &exact))
            continue;
        for (int depth = 0; depth < LEVELS_MAX && scope.sender != 0; depth++) {
            left -= strike(wanted, count, hash_of_method(scope.method));
            if (!hs_code_scope_sender(v, layout, nm, &scope))
                break;
        }
    }
    return left;
}

/*
 * Compilers move instructions, and their debug data is exact only at calls. Between the first and
 * the last instruction of an inlined method there may be an instruction of its caller, or one that
 * belongs to another inlined method. The walk shows what the debug data says; the shadow stack only
 * knows which methods have not ended. So there is no verdict if every missing method, and every
 * method above it, is inlined somewhere in the code at pc; recursion is excepted. (The methods
 * below have been found in the walk.)
 */
static bool is_moved(const struct moment *m, uint64_t *missing, uint32_t count)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_blob blob;
    struct hs_nmethod nm;
    if (m->count == 0 || m->s->ours[0].trust > HS_TRUST_EXACT || count > LEVELS_MAX ||
        !hs_code_find(&v, layout, m->regs.pc, &blob) || blob.kind != HS_BLOB_NMETHOD)
        return false;
    hs_code_nmethod(&v, layout, &blob, &nm);
    if (strike(missing, count, hash_of_method(nm.method)) != 0)
        return false;
    return strike_inlined(&v, &blob, &nm, missing, count) == 0;
}

static void want_shadow(struct moment *m, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        m->s->wanted[i] = verify_numbers_hash(m->s->numbers[i]);
}

static void judge_by_shadow(struct moment *m)
{
    int depth = verify_shadow_read(m->s->numbers, VERIFY_SHADOW_MAX);
    uint32_t found;
    if (depth == VERIFY_SHADOW_BUSY)
        verify_table_add(VERIFY_SHADOW_BUSY_NOW, 1);
    else if (depth == 0)
        verify_table_add(VERIFY_SHADOW_NONE, 1);
    if (depth <= 0 || m->cut || (m->result < 0 && m->result != -(1 + WALK_NO_JAVA_FRAME)))
        return;
    m->has_shadow = true;
    want_shadow(m, (uint32_t)depth);
    m->shadow_says = contains(m, m->s->ours, m->count, (uint32_t)depth, &found);
    verify_table_add(VERIFY_SHADOW_COMPARED, 1);
    verify_table_add(VERIFY_SHADOW_FRAMES, (uint64_t)depth);
    if (m->shadow_says) {
        verify_table_add(VERIFY_SHADOW_AGREED, 1);
    } else if (is_moved(m, m->s->wanted + found, (uint32_t)depth - found)) {
        verify_table_add(VERIFY_SHADOW_MOVED, 1);
        m->has_shadow = false;
        return;
    } else {
        struct verify_example *e = verify_table_example("shadow", trust_word(m), 0);
        want_shadow(m, (uint32_t)depth); /* is_moved() has struck some entries out */

        verify_shadow_watch(found, VERIFY_SHADOW_WALK, e);
        if (e) {
            keep(m, e, 0);
            verify_sample_keep_shadow(e, found, m->s->numbers, (uint32_t)depth);
        }
    }
    if (m->their_count > 0)
        m->shadow_says_theirs = contains(m, m->s->theirs, m->their_count, (uint32_t)depth, &found);
}

/*
 * AsyncGetCallTrace takes the bci of an interpreted frame from the frame, where the interpreter
 * saves it at a call. Between calls only the register has the current bci.
 */
static bool is_stale_bci(const struct moment *m)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_method method;
    uint64_t fp = m->regs.fp, address, saved;
    if (m->s->ours[0].kind != WALK_KIND_INTERPRETED ||
        m->regs.pc - layout->interp_low >= layout->interp_high - layout->interp_low)
        return false;
    address = mem_view_u8(&v, fp + (uint64_t)(int64_t)layout->interp.method * 8);
    saved = mem_view_u8(&v, fp + (uint64_t)(int64_t)layout->interp.bcp * 8);
    return hs_method_read(&v, layout, address, &method) &&
           hs_method_bci(&method, saved) == m->s->theirs[0].bci;
}

/*
 * Outside Java the VM itself records where the Java frames begin, and GetStackTrace begins there
 * too. Layer b has shown that walks from there are right.
 */
static bool is_from_anchor(const struct moment *m)
{
    return m->state != HS_THREAD_IN_JAVA && m->state != HS_THREAD_IN_JAVA_TRANS &&
           m->s->ours[0].trust == HS_TRUST_ANCHOR;
}

static enum verify_blame blame_of(const struct moment *m, enum verify_kind kind)
{
    if (kind == VERIFY_TOP_BCI)
        return is_stale_bci(m) || is_from_anchor(m) ? VERIFY_THEIRS : VERIFY_UNDECIDED;
    if (kind == VERIFY_BCI)
        return is_from_anchor(m) ? VERIFY_THEIRS : VERIFY_UNDECIDED;
    if (m->has_shadow && m->shadow_says != m->shadow_says_theirs)
        return m->shadow_says ? VERIFY_THEIRS : VERIFY_OURS;
    /*
     * Our walk ends at the entry frame that the VM made when it called the thread's first method.
     * So a stack that ends earlier is not whole.
     */
    return kind == VERIFY_CUT || is_from_anchor(m) ? VERIFY_THEIRS : VERIFY_UNDECIDED;
}

static enum verify_kind judge_theirs(struct moment *m)
{
    enum verify_kind kind;
    enum verify_blame blame;
    uint32_t at;
    if (m->count == 0 || m->cut || m->their_count == FRAMES)
        return VERIFY_SAME;
    if (m->their_count == 0) {
        verify_table_add(VERIFY_ASGCT_FAILED, 1);
        verify_table_add_asgct_failure((uint32_t)(m->asgct < 0 ? -m->asgct - 1 : 0));
        return VERIFY_SAME;
    }
    verify_table_add(VERIFY_ASGCT_COMPARED, 1);
    kind = verify_compare(m->s->ours, m->count, m->s->theirs, m->their_count, &at);
    if (kind == VERIFY_SAME) {
        verify_table_add(VERIFY_ASGCT_AGREED, 1);
        return kind;
    }
    blame = blame_of(m, kind);
    verify_table_add_difference(kind, blame);
    keep(m, verify_table_difference_example(kind, blame), at);
    return kind;
}

/* ---- damaged registers */

static uint64_t next_random(struct scratch *s)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return s->seed ^ s->seed >> 29;
}

static uint64_t damage(struct scratch *s, uint64_t value, uint64_t near)
{
    uint64_t x = next_random(s);
    switch (x & 7) {
    case 0:
        return x >> 3;
    case 1:
        return value + (x >> 56) - 128;
    case 2:
        return value + (x >> 40 & 0xffff) - 0x8000;
    case 3:
        return near + (x >> 40 & 0xfff8);
    case 4:
        return layout->heaps[(x >> 8) % layout->heap_count].low + (x >> 32 & 0xffffff);
    case 5:
        return 0;
    default:
        return value;
    }
}

static void walk_randomly(const struct moment *m)
{
    struct scratch *s = m->s;
    uint64_t complete = 0, done = 0;
    bool cut;
    for (; done < RANDOM_AT_ONCE && atomic_fetch_sub(&random_left, 1) > 0; done++) {
        struct regs r = m->regs;
        r.pc = damage(s, r.pc, r.pc);
        r.sp = damage(s, r.sp, r.sp);
        r.fp = damage(s, r.fp, m->regs.sp);
        for (int i = 0; i < 32; i++)
            r.r[i] = damage(s, r.r[i], m->regs.sp);
        complete += walk_vm_thread(memory, m->request->java_thread, &r, NULL, s->walked,
                                   RANDOM_FRAMES, &cut) > 0;
    }
    verify_table_add(VERIFY_RANDOM_WALKS, done);
    verify_table_add(VERIFY_RANDOM_COMPLETE, complete);
}

/* ---- the handler's part */

static void keep_if_wanted(const struct moment *m, enum verify_kind kind)
{
    uint64_t wanted = m->request->java_thread;
    if (m->count == 0 || m->cut || !atomic_compare_exchange_strong(&kept.thread, &wanted, WRITING))
        return;
    kept.sample.count = m->count;
    kept.sample.their_count = m->their_count;
    kept.sample.kind = kind;
    memcpy(kept.sample.ours, m->s->ours, m->count * sizeof(*m->s->ours));
    memcpy(kept.sample.theirs, m->s->theirs, m->their_count * sizeof(*m->s->theirs));
    atomic_store(&kept.thread, 0);
    bell_ring(&kept.came);
}

static void judge(struct walk_request *request, struct scratch *s)
{
    struct moment m = {.request = request, .s = s};
    enum verify_kind kind;
    regs_of_ucontext(request->ucontext, &m.regs);
    verify_table_add(VERIFY_WALK_SAMPLES, 1);
    take_ours(&m);
    take_theirs(&m);
    judge_walk(&m);
    judge_by_shadow(&m);
    kind = judge_theirs(&m);
    keep_if_wanted(&m, kind);
    if (atomic_load_explicit(&random_left, memory_order_relaxed) > 0)
        walk_randomly(&m);
}

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    *ret_truncated = 0;
    if (request->java_thread == 0)
        return -(1 + WALK_NO_THREAD);
    for (int i = 0; i < SCRATCHES; i++) {
        if (atomic_exchange(&scratches[i].taken, 1) == 0) {
            judge(request, &scratches[i]);
            atomic_store(&scratches[i].taken, 0);
            return -(1 + WALK_OTHER);
        }
    }
    verify_table_add(VERIFY_WALK_DROPPED, 1);
    return -(1 + WALK_OTHER);
}

const struct walker verify_sample_walker = {.name = "verify", .walk = walk};

/* ---- for ordinary threads */

int verify_sample_prepare(const struct hs_memory *m, uint64_t random_walks)
{
    scratches = mmap(NULL, SCRATCHES * sizeof(*scratches), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (scratches == MAP_FAILED)
        return -ENOMEM;
    for (int i = 0; i < SCRATCHES; i++)
        scratches[i].seed = clock_monotonic_ns() + (uint64_t)i;
    memory = m;
    layout = m->layout;
    atomic_store(&random_left, (int64_t)random_walks);
    return 0;
}

void verify_sample_want(uint64_t java_thread)
{
    bell_wait(&kept.came, 0); /* forget a sample that came too late */
    atomic_store(&kept.thread, java_thread);
}

const struct verify_sample_kept *verify_sample_take(int wait_ms)
{
    uint64_t wanted;
    if (bell_wait(&kept.came, (uint32_t)wait_ms))
        return &kept.sample;
    wanted = atomic_load(&kept.thread);
    if (wanted != 0 && wanted != WRITING &&
        atomic_compare_exchange_strong(&kept.thread, &wanted, 0))
        return NULL;
    while (!bell_wait(&kept.came, FINISH_MS)) /* a handler is just finishing the sample */
        continue;
    return &kept.sample;
}
