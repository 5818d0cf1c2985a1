/*
 * layout.c - see layout.h.
 * Source: HotSpot vmStructs.cpp, frame_x86.hpp, frame_aarch64.hpp, unsigned5.hpp, heap.hpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/layout.h"
#include "hotspot/flag_table.h"
#include "hotspot/perf_counter.h"
#include "hotspot/vmtables.h"
#include "base/err.h"
#include "elf/elf_file.h"
#include "safe/hs_code.h"
#include "safe/mem.h"
#include "safe/release.h"
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct fact_row {
    char kind;
    uint16_t at; /* offset in struct hs_layout */
    const char *type, *name;
};

static const struct fact_row fact_rows[] = {
#define FIELD(field, type, name) {'f', offsetof(struct hs_layout, field), type, name},
#define STATIC(field, type, name) {'s', offsetof(struct hs_layout, field), type, name},
#define SIZE(field, type) {'t', offsetof(struct hs_layout, field), type, ""},
#define NEED(group, what, test)
#include "hotspot/layout_fact.def"
#undef FIELD
#undef STATIC
#undef SIZE
#undef NEED
};

/* Variables and functions of libjvm.so that no table has, by their names. If the field of a row has
 * no value yet, it gets the address of the symbol, or, with `is_pointer`, the word at that
 * address. */
static const struct symbol_row {
    uint16_t at;
    uint8_t is_pointer;
    const char *name;
} symbol_rows[] = {
    {offsetof(struct hs_layout, cont_return_pc_at), 0, "_ZN17ContinuationEntry10_return_pcE"},
    {offsetof(struct hs_layout, cont_return_barrier_at), 0,
     "_ZN12StubRoutines19_cont_returnBarrierE"},
    {offsetof(struct hs_layout, chunk_pc_at), 0, "_ZN26jdk_internal_vm_StackChunk10_pc_offsetE"},
    {offsetof(struct hs_layout, chunk_flags_at), 0,
     "_ZN26jdk_internal_vm_StackChunk13_flags_offsetE"},
    {offsetof(struct hs_layout, chunk_lock_count_at), 0,
     "_ZN26jdk_internal_vm_StackChunk21_lockStackSize_offsetE"},
    {offsetof(struct hs_layout, virtual_waiter_at), 0,
     "_ZN23java_lang_VirtualThread20_objectWaiter_offsetE"},
    {offsetof(struct hs_layout, safepoint_counter_at), 0,
     "_ZN20SafepointSynchronize18_safepoint_counterE"},
    {offsetof(struct hs_layout, safefetch), 0, "SafeFetchN_impl"},
    {offsetof(struct hs_layout, safefetch), 1, "_ZN12StubRoutines17_safefetchN_entryE"},
};
#define SYMBOL_COUNT (sizeof(symbol_rows) / sizeof(*symbol_rows))

/* The first row that fits wins. The slots {sender_sp, method, bcp, locals} are in words from the
 * frame pointer. */
static const struct interp_row {
    enum hs_cpu cpu;
    uint32_t version_max;
    struct hs_interp_slots slots;
    int32_t entry_wrapper_words;
} interp_rows[] = {
    {HS_CPU_X86_64, 8, {-1, -3, -7, -6}, -6},
    {HS_CPU_X86_64, UINT32_MAX, {-1, -3, -8, -7}, -6},
    {HS_CPU_AARCH64, 8, {-1, -3, -7, -6}, -8},
    {HS_CPU_AARCH64, UINT32_MAX, {-1, -3, -9, -8}, -8},
};

static void *field_of(struct hs_layout *l, uint16_t at)
{
    return (char *)l + at;
}

static void set_none(struct hs_layout *l)
{
    memset(l, 0, sizeof(*l));
    for (unsigned i = 0; i < sizeof(fact_rows) / sizeof(*fact_rows); i++) {
        int32_t none = HS_NONE;
        if (fact_rows[i].kind != 's')
            memcpy(field_of(l, fact_rows[i].at), &none, sizeof(none));
    }
}

static void fill_facts(const struct vmtables *t, struct hs_layout *l)
{
    for (unsigned i = 0; i < sizeof(fact_rows) / sizeof(*fact_rows); i++) {
        const struct fact_row *row = &fact_rows[i];
        uint64_t value;
        if (row->kind == 's') {
            uint64_t *field = field_of(l, row->at);
            if (*field == 0 && vmtables_find(t, 's', row->type, row->name, &value))
                *field = value;
        } else {
            int32_t *field = field_of(l, row->at);
            if (*field == HS_NONE && vmtables_find(t, row->kind, row->type, row->name, &value) &&
                value < 0x100000)
                *field = (int32_t)value;
        }
    }
}

static const struct state_row {
    const char *name;
    enum hs_thread_state state;
} state_rows[] = {
    {"_thread_new", HS_THREAD_NEW},
    {"_thread_new_trans", HS_THREAD_NEW_TRANS},
    {"_thread_in_native", HS_THREAD_IN_NATIVE},
    {"_thread_in_native_trans", HS_THREAD_IN_NATIVE_TRANS},
    {"_thread_in_vm", HS_THREAD_IN_VM},
    {"_thread_in_vm_trans", HS_THREAD_IN_VM_TRANS},
    {"_thread_in_Java", HS_THREAD_IN_JAVA},
    {"_thread_in_Java_trans", HS_THREAD_IN_JAVA_TRANS},
    {"_thread_blocked", HS_THREAD_BLOCKED},
    {"_thread_blocked_trans", HS_THREAD_BLOCKED_TRANS},
};

/* Read the numbers of the thread states. JDK 28 has new ones, and none for a change of state. */
static void fill_states(const struct vmtables *t, struct hs_layout *l)
{
    for (unsigned i = 0; i < sizeof(state_rows) / sizeof(*state_rows); i++) {
        uint64_t number;
        if (vmtables_find(t, 'i', state_rows[i].name, "", &number) && number < HS_THREAD_STATES)
            l->thread_states[number] = (uint8_t)state_rows[i].state;
    }
}

static bool has_state(const struct hs_layout *l, enum hs_thread_state state)
{
    return memchr(l->thread_states, (int)state, sizeof(l->thread_states)) != NULL;
}

static void fill_symbols(struct mem *m, const struct elf_file *libjvm, uint64_t bias,
                         struct hs_layout *l)
{
    const char *names[SYMBOL_COUNT];
    uint64_t values[SYMBOL_COUNT];
    for (unsigned i = 0; i < SYMBOL_COUNT; i++)
        names[i] = symbol_rows[i].name;
    elf_file_symbols(libjvm, names, values, SYMBOL_COUNT);
    for (unsigned i = 0; i < SYMBOL_COUNT; i++) {
        uint64_t *field = field_of(l, symbol_rows[i].at);
        if (*field != 0 || values[i] == 0)
            continue;
        uint64_t value = values[i] + bias;
        if (symbol_rows[i].is_pointer && mem_read(m, value, &value, 8) < 0)
            continue;
        *field = value;
    }
}

static uint64_t read_static(struct mem *m, const struct vmtables *t, const char *type,
                            const char *name, size_t size)
{
    uint64_t addr, value = 0;
    if (!vmtables_find(t, 's', type, name, &addr) || mem_read(m, addr, &value, size) < 0)
        return 0;
    return value;
}

static uint64_t read_word(struct mem *m, uint64_t addr)
{
    uint64_t value = 0;
    return mem_read(m, addr, &value, sizeof(value)) < 0 ? 0 : value;
}

/* HotSpot 25.x of JDK 8 gives its version as 25. Only JDK 8 has the one code heap
 * CodeCache::_heap. */
static uint32_t read_version(struct mem *m, const struct vmtables *t)
{
    uint64_t unused;
    if (vmtables_find(t, 's', "CodeCache", "_heap", &unused))
        return 8;
    return (uint32_t)read_static(m, t, "Abstract_VM_Version", "_vm_major_version", 4);
}

static uint64_t offset_of(const struct vmtables *t, const char *type, const char *name,
                          uint64_t otherwise)
{
    uint64_t value;
    return vmtables_find(t, 'f', type, name, &value) ? value : otherwise;
}

static void add_heap(struct mem *m, const struct vmtables *t, uint64_t heap, struct hs_layout *l)
{
    uint64_t memory, segmap, log2_size;
    uint64_t low = offset_of(t, "VirtualSpace", "_low_boundary", 0);
    uint64_t high = offset_of(t, "VirtualSpace", "_high_boundary", 8);
    uint32_t shift = 0;
    struct hs_heap *h = &l->heaps[l->heap_count];
    if (heap == 0 || l->heap_count == HS_HEAP_MAX ||
        !vmtables_find(t, 'f', "CodeHeap", "_memory", &memory) ||
        !vmtables_find(t, 'f', "CodeHeap", "_segmap", &segmap) ||
        !vmtables_find(t, 'f', "CodeHeap", "_log2_segment_size", &log2_size) ||
        mem_read(m, heap + log2_size, &shift, sizeof(shift)) < 0)
        return;
    h->low = read_word(m, heap + memory + low);
    h->high = read_word(m, heap + memory + high);
    h->segmap = read_word(m, heap + segmap + low);
    h->log2_segment = shift;
    if (h->low != 0 && h->low < h->high && h->segmap != 0 && shift >= 3 && shift <= 16)
        l->heap_count++;
}

/* Find the segments of the code cache: an array of pointers. Returns their number. */
static uint32_t find_heaps(struct mem *m, const struct vmtables *t, uint64_t *ret_array)
{
    uint32_t count = 0;
    uint64_t array = read_static(m, t, "CodeCache", "_heaps", 8);
    uint64_t len_at =
        offset_of(t, "GrowableArrayBase", "_len", offset_of(t, "GenericGrowableArray", "_len", 0));
    uint64_t data_at = offset_of(t, "GrowableArray<int>", "_data", 0);
    if (array == 0 || data_at == 0 || mem_read(m, array + len_at, &count, sizeof(count)) < 0)
        return 0;
    *ret_array = read_word(m, array + data_at);
    return count;
}

static void fill_heaps(struct mem *m, const struct vmtables *t, struct hs_layout *l)
{
    uint64_t array = 0, single = read_static(m, t, "CodeCache", "_heap", 8);
    if (single != 0) {
        add_heap(m, t, single, l);
        return;
    }
    uint32_t count = find_heaps(m, t, &array);
    for (uint32_t i = 0; i < count && i < HS_HEAP_MAX; i++)
        add_heap(m, t, read_word(m, array + (uint64_t)i * 8), l);
}

static void fill_interpreter(struct mem *m, const struct vmtables *t, struct hs_layout *l)
{
    uint64_t queue = read_static(m, t, "AbstractInterpreter", "_code", 8);
    uint64_t buffer_at, limit_at;
    uint32_t limit = 0;
    if (queue != 0 && vmtables_find(t, 'f', "StubQueue", "_stub_buffer", &buffer_at) &&
        vmtables_find(t, 'f', "StubQueue", "_buffer_limit", &limit_at) &&
        mem_read(m, queue + limit_at, &limit, sizeof(limit)) == 0) {
        l->interp_low = read_word(m, queue + buffer_at);
        l->interp_high = l->interp_low + limit;
    }
    l->call_stub_return = read_static(m, t, "StubRoutines", "_call_stub_return_address", 8);
    for (unsigned i = 0; i < sizeof(interp_rows) / sizeof(*interp_rows); i++) {
        const struct interp_row *row = &interp_rows[i];
        if (row->cpu != l->cpu || l->version > row->version_max)
            continue;
        l->interp = row->slots;
        l->entry_wrapper_words = row->entry_wrapper_words;
        break;
    }
}

/* `_frame_complete_offset` shrank to 16 bits when CodeBlob shrank; the distance to the field behind
 * it says which form this VM has. */
static void fill_blob_forms(const struct vmtables *t, struct hs_layout *l)
{
    uint64_t kind;
    l->blob_frame_complete_bytes = 4;
    if (vmtables_find(t, 'f', "CodeBlob", "_kind", &kind) &&
        kind == (uint64_t)l->blob_frame_complete + 2)
        l->blob_frame_complete_bytes = 2;
    l->unsigned5_excluded = l->version >= RELEASE_PACKED_WITHOUT_ZERO;
}

static const struct kind_row {
    const char *name;
    enum hs_blob_kind kind;
} kind_rows[] = {
    {"CodeBlobKind::Adapter", HS_BLOB_ADAPTER},
    {"CodeBlobKind::Vtable", HS_BLOB_VTABLE},
    {"CodeBlobKind::Deoptimization", HS_BLOB_DEOPT},
    {"CodeBlobKind::Upcall", HS_BLOB_UPCALL},
};

static void fill_blob_kinds(const struct vmtables *t, struct hs_layout *l)
{
    for (unsigned i = 0; i < sizeof(kind_rows) / sizeof(*kind_rows); i++) {
        uint64_t number;
        if (vmtables_find(t, 'i', kind_rows[i].name, "", &number) && number < HS_BLOB_NUMBERS)
            l->blob_kinds[number] = (uint8_t)kind_rows[i].kind;
    }
}

/* The fields of the C++ class frame are in no table. In every JDK sp and pc come first, and fp and
 * unextended_sp last. On aarch64 a flag word follows after them if the class has eight words.
 * Source: frame.hpp, frame_x86.hpp, frame_aarch64.hpp. */
static void fill_frame(struct hs_layout *l)
{
    l->frame_pc = 8;
    l->frame_fp = l->frame_unextended_sp = HS_NONE;
    int32_t end = l->frame_size;
    if (l->cpu == HS_CPU_AARCH64 && end >= 64)
        end -= 8;
    if (end >= 48 && l->vframe_array_caller >= 0 && l->vframe_array_frames >= 0 &&
        l->vframe_method >= 0 && l->vframe_bci >= 0 && l->vframe_array_size > l->vframe_size &&
        l->vframe_size > 0) {
        l->frame_fp = end - 16;
        l->frame_unextended_sp = end - 8;
    }
}

/* The value of a boolean flag of the VM; a flag that is missing is off. */
static bool is_flag_set(struct mem *m, const struct vmtables *t, const char *flag)
{
    uint64_t addr = flag_table_find(m, t, flag);
    uint8_t value = 0;
    return addr != 0 && mem_read(m, addr, &value, 1) == 0 && value != 0;
}

/* JDK 21 to 24 do not export JavaThread::_cont_entry. Between _exception_pc and _cont_entry they
 * have the same fields as JDK 25 and 26, which export it. Source: javaThread.hpp. */
static void fill_continuations(struct hs_layout *l)
{
    if (l->thread_cont_entry < 0 && l->version >= RELEASE_CONTINUATIONS &&
        l->version < RELEASE_CONTINUATION_ENTRY && l->thread_exception_pc >= 0)
        l->thread_cont_entry = l->thread_exception_pc + 48;
}

static void fill_counters(struct mem *m, const struct vmtables *t, struct hs_layout *l)
{
    uint64_t start = read_static(m, t, "PerfMemory", "_start", 8);
    l->count_unloaded = perf_counter_find(m, start, "java.cls.unloadedClasses");
    l->count_safepoints = perf_counter_find(m, start, "sun.rt.safepoints");
}

/* Whether the VM is just starting: the tables name these facts, but there are no values yet. */
static bool is_starting(struct mem *m, const struct vmtables *t)
{
    static const struct {
        const char *type, *name;
        size_t size;
    } rows[] = {
        {"Abstract_VM_Version", "_vm_major_version", 4},
        {"CodeCache", "_heap", 8},
        {"CodeCache", "_heaps", 8},
        {"AbstractInterpreter", "_code", 8},
        {"StubRoutines", "_call_stub_return_address", 8},
    };
    uint64_t unused;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (vmtables_find(t, 's', rows[i].type, rows[i].name, &unused) &&
            read_static(m, t, rows[i].type, rows[i].name, rows[i].size) == 0)
            return true;
    }
    return false;
}

/* The name of the first fact that one of `groups` lacks, or NULL. */
static const char *find_missing(const struct hs_layout *l, unsigned groups)
{
#define FIELD(field, type, name)
#define STATIC(field, type, name)
#define SIZE(field, type)
#define NEED(group, what, test)                                                                    \
    if ((groups & LAYOUT_##group) && !(test))                                                      \
        return what;
#include "hotspot/layout_fact.def"
#undef FIELD
#undef STATIC
#undef SIZE
#undef NEED
    return NULL;
}

unsigned layout_groups(const struct hs_layout *l)
{
    unsigned groups = 0;
    for (unsigned bit = LAYOUT_walk; bit <= LAYOUT_vthreads; bit <<= 1) {
        if (!find_missing(l, bit))
            groups |= bit;
    }
    return groups;
}

int layout_load(struct mem *m, const struct elf_file *libjvm, uint64_t bias, unsigned groups,
                struct hs_layout *ret_layout, const char **ret_missing)
{
    uint64_t symbols[VMTABLES_SYMBOL_COUNT];
    struct vmtables tables;
    struct hs_layout l;
    *ret_missing = "";
    set_none(&l);
    if (libjvm->machine == EM_X86_64) {
        l.cpu = HS_CPU_X86_64;
    } else if (libjvm->machine == EM_AARCH64) {
        l.cpu = HS_CPU_AARCH64;
    } else {
        *ret_missing = "a CPU that is known";
        return E_FACT_MISSING;
    }
    elf_file_symbols(libjvm, vmtables_symbols, symbols, VMTABLES_SYMBOL_COUNT);
    for (int i = 0; i < VMTABLES_SYMBOL_COUNT; i++) {
        if (symbols[i] == 0) {
            *ret_missing = vmtables_symbols[i];
            return E_FACT_MISSING;
        }
        symbols[i] += bias;
    }
    int error = vmtables_open(m, symbols, &tables);
    if (error < 0)
        return error;
    l.version = read_version(m, &tables);
    fill_facts(&tables, &l);
    fill_states(&tables, &l);
    fill_symbols(m, libjvm, bias, &l);
    fill_heaps(m, &tables, &l);
    fill_interpreter(m, &tables, &l);
    fill_blob_forms(&tables, &l);
    fill_blob_kinds(&tables, &l);
    fill_frame(&l);
    fill_continuations(&l);
    fill_counters(m, &tables, &l);
    l.checks_jni = is_flag_set(m, &tables, "CheckJNICalls");
    const char *missing =
        l.version < RELEASE_OLDEST ? "the version of the VM" : find_missing(&l, groups);
    if (missing)
        error = is_starting(m, &tables) ? E_VM_STATE : E_FACT_MISSING;
    vmtables_done(&tables);
    if (error < 0) {
        *ret_missing = missing;
        return error;
    }
    *ret_layout = l;
    return 0;
}
