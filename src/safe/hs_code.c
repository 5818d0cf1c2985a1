/*
 * hs_code.c - see hs_code.h, which also says what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_code.h"

enum {
    /* Steps back in a segment map. One step covers up to 254 segments; merged blocks add steps. */
    SEGMAP_STEPS_MAX = 512,
    BLOB_BYTES_MAX = 64 << 20,
    PC_COUNT_MAX = 1 << 22,
};

/* The start of the block around `addr`; 0: the block is free. A byte n of the map says: go back n
 * segments. 0 is the start of a block, 255 a free segment. */
static uint64_t find_block(struct mem_view *v, const struct hs_layout *l, uint64_t addr)
{
    const struct hs_heap *h = hs_code_heap(l, addr);
    if (!h)
        return 0;
    uint64_t segment = (addr - h->low) >> h->log2_segment;
    for (int i = 0; i < SEGMAP_STEPS_MAX; i++) {
        uint32_t faults = v->faults;
        uint8_t back = mem_view_u1(v, h->segmap + segment);
        if (back == 255 || v->faults != faults || back > segment)
            return 0;
        if (back == 0)
            return h->low + (segment << h->log2_segment);
        segment -= back;
    }
    return 0;
}

/* A name is a static string of libjvm.so, or a string of a blob from an AOT cache (JDK 27 on: "stub
 * gen"). The first eight bytes are enough to tell the names that matter apart. */
static enum hs_blob_kind kind_of_name(struct mem_view *v, uint64_t name)
{
    static const struct {
        char start[8];
        enum hs_blob_kind kind;
    } kinds[] = {
        {{'n', 'm', 'e', 't', 'h', 'o', 'd', 0}, HS_BLOB_NMETHOD},
        {{'n', 'a', 't', 'i', 'v', 'e', ' ', 'n'}, HS_BLOB_NATIVE},
        {{'I', 'n', 't', 'e', 'r', 'p', 'r', 'e'}, HS_BLOB_INTERPRETER},
        {{'S', 't', 'u', 'b', 'R', 'o', 'u', 't'}, HS_BLOB_STUBS},
        {{'I', '2', 'C', '/', 'C', '2', 'I', ' '}, HS_BLOB_ADAPTER},
        {{'v', 't', 'a', 'b', 'l', 'e', ' ', 'c'}, HS_BLOB_VTABLE},
        {{'D', 'e', 'o', 'p', 't', 'i', 'm', 'i'}, HS_BLOB_DEOPT},
        {{'D', 'e', 'o', 'p', 't', 'B', 'l', 'o'}, HS_BLOB_DEOPT},
        {{'i', 'n', 'i', 't', 'i', 'a', 'l', '_'}, HS_BLOB_STUBS},
        {{'c', 'o', 'n', 't', 'i', 'n', 'u', 'a'}, HS_BLOB_STUBS},
        {{'c', 'o', 'm', 'p', 'i', 'l', 'e', 'r'}, HS_BLOB_STUBS},
        {{'f', 'i', 'n', 'a', 'l', '_', 'b', 'l'}, HS_BLOB_STUBS},
        {{'p', 'r', 'e', 'u', 'n', 'i', 'v', 'e'}, HS_BLOB_STUBS},
        {{'u', 'p', 'c', 'a', 'l', 'l', '_', 's'}, HS_BLOB_UPCALL},
    };
    uint64_t start = mem_view_u8(v, name);
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        uint64_t word;
        memcpy(&word, kinds[i].start, sizeof(word));
        if (start == word)
            return kinds[i].kind;
    }
    return HS_BLOB_OTHER;
}

/* If the VM numbers its kinds of blobs, the number decides and not the name: an adapter from an AOT
 * cache is named after the types of its arguments. */
static enum hs_blob_kind kind_of(struct mem_view *v, const struct hs_layout *l, uint64_t blob)
{
    if (l->blob_kind >= 0) {
        uint8_t number = mem_view_u1(v, blob + (uint64_t)l->blob_kind);
        if (number < HS_BLOB_NUMBERS && l->blob_kinds[number] != HS_BLOB_OTHER)
            return l->blob_kinds[number];
    }
    return kind_of_name(v, mem_view_u8(v, blob + (uint64_t)l->blob_name));
}

uint64_t hs_code_start(struct mem_view *v, const struct hs_layout *l, uint64_t pc)
{
    uint64_t block = find_block(v, l, pc);
    uint32_t faults = v->faults;
    bool is_used = block != 0 && mem_view_u1(v, block + (uint64_t)l->block_used) != 0;
    return is_used && v->faults == faults ? block + (uint64_t)l->block_size : 0;
}

int hs_code_find(struct mem_view *v, const struct hs_layout *l, uint64_t pc,
                 struct hs_blob *ret_blob)
{
    struct hs_blob b;
    uint32_t faults = v->faults;
    b.start = hs_code_start(v, l, pc);
    if (b.start == 0)
        return 0;
    uint32_t size = mem_view_u4(v, b.start + (uint64_t)l->blob_size);
    b.end = b.start + size;
    if (size == 0 || size > BLOB_BYTES_MAX || pc < b.start || pc >= b.end)
        return 0;
    b.kind = kind_of(v, l, b.start);
    if (l->blob_code_begin >= 0)
        b.code = mem_view_u8(v, b.start + (uint64_t)l->blob_code_begin);
    else
        b.code = b.start + mem_view_u4(v, b.start + (uint64_t)l->blob_code_offset);
    b.frame_size = mem_view_s4(v, b.start + (uint64_t)l->blob_frame_size);
    if (l->blob_frame_complete_bytes == 2)
        b.frame_complete = (int16_t)mem_view_u2(v, b.start + (uint64_t)l->blob_frame_complete);
    else
        b.frame_complete = mem_view_s4(v, b.start + (uint64_t)l->blob_frame_complete);
    if (v->faults != faults || b.code < b.start || b.code > b.end)
        return 0;
    *ret_blob = b;
    return 1;
}

static uint64_t part_of(struct mem_view *v, const struct hs_blob *blob, uint64_t base, int32_t at)
{
    return at < 0 ? 0 : base + mem_view_u4(v, blob->start + (uint64_t)at);
}

static uint64_t deopt_of(struct mem_view *v, const struct hs_blob *blob, int32_t pointer_at,
                         int32_t offset_at)
{
    if (pointer_at >= 0)
        return mem_view_u8(v, blob->start + (uint64_t)pointer_at);
    if (offset_at < 0)
        return 0;
    int32_t offset = mem_view_s4(v, blob->start + (uint64_t)offset_at);
    return offset <= 0 ? 0 : blob->start + (uint64_t)offset;
}

void hs_code_nmethod(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob,
                     struct hs_nmethod *ret_nmethod)
{
    struct hs_nmethod nm;
    uint64_t debug = blob->start; /* the base of the debug data's offsets */
    nm.method = mem_view_u8(v, blob->start + (uint64_t)l->nmethod_method);
    nm.level = mem_view_u1(v, blob->start + (uint64_t)l->nmethod_comp_level);
    if (l->nmethod_immutable_data >= 0)
        debug = mem_view_u8(v, blob->start + (uint64_t)l->nmethod_immutable_data);
    nm.pcs = part_of(v, blob, debug, l->nmethod_scopes_pcs);
    nm.pcs_end = part_of(v, blob, debug, l->nmethod_scopes_pcs_end);
    if (l->nmethod_scopes_data_begin >= 0)
        nm.scopes = mem_view_u8(v, blob->start + (uint64_t)l->nmethod_scopes_data_begin);
    else
        nm.scopes = part_of(v, blob, debug, l->nmethod_scopes_data);
    if (l->blob_mutable_data >= 0)
        nm.metadata = part_of(v, blob, mem_view_u8(v, blob->start + (uint64_t)l->blob_mutable_data),
                              l->blob_relocation_size);
    else
        nm.metadata = part_of(v, blob, blob->start, l->nmethod_metadata);
    *ret_nmethod = nm;
}

bool hs_code_is_deopt(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob,
                      uint64_t pc)
{
    return pc == deopt_of(v, blob, l->nmethod_deopt_begin, l->nmethod_deopt_offset) ||
           pc == deopt_of(v, blob, l->nmethod_deopt_mh_begin, l->nmethod_deopt_mh_offset);
}

int32_t hs_code_orig_pc(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob)
{
    return mem_view_s4(v, blob->start + (uint64_t)l->nmethod_orig_pc);
}

/* UNSIGNED5: a byte below the limit ends a number, and each higher byte adds six bits. Since JDK 20
 * the byte 0 is not part of a number. Source: unsigned5.hpp. */
static uint32_t read_unsigned5(const struct hs_layout *l, const unsigned char *bytes, unsigned *pos)
{
    uint32_t x = (uint32_t)l->unsigned5_excluded, limit = 256 - 64;
    uint32_t sum = bytes[*pos] - x;
    unsigned i = 1;
    if (bytes[(*pos)] < limit) {
        *pos += 1;
        return sum;
    }
    for (unsigned shift = 6; i < 5; shift += 6) {
        uint32_t b = bytes[*pos + i];
        sum += (b - x) << shift;
        i++;
        if (b < limit)
            break;
    }
    *pos += i;
    return sum;
}

/* Decode a scope: the decode offset of the caller's scope, the 1-based index of the Method* in the
 * metadata, and bci + 1. */
static int decode_scope(struct mem_view *v, const struct hs_layout *l, const struct hs_nmethod *nm,
                        uint32_t offset, struct hs_scope *ret_scope)
{
    union {
        uint64_t words[2];
        unsigned char bytes[16];
    } data;
    unsigned pos = 0;
    uint32_t faults = v->faults;
    data.words[0] = mem_view_u8(v, nm->scopes + offset);
    data.words[1] = mem_view_u8(v, nm->scopes + offset + 8);
    uint32_t sender = read_unsigned5(l, data.bytes, &pos);
    uint32_t index = read_unsigned5(l, data.bytes, &pos);
    int32_t bci = (int32_t)read_unsigned5(l, data.bytes, &pos) - 1;
    if (v->faults != faults || index == 0 || bci < -1 || bci > 0xffff)
        return 0;
    ret_scope->method = mem_view_u8(v, nm->metadata + ((uint64_t)index - 1) * 8);
    ret_scope->bci = bci;
    ret_scope->sender = sender < offset ? sender : 0; /* callers are written first: no cycles */
    return v->faults == faults && ret_scope->method != 0;
}

int hs_code_scope(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob,
                  const struct hs_nmethod *nm, uint64_t pc, struct hs_scope *ret_scope,
                  bool *ret_exact)
{
    uint64_t size = (uint64_t)l->pcdesc_size;
    if (nm->pcs >= nm->pcs_end || (nm->pcs_end - nm->pcs) / size > PC_COUNT_MAX)
        return 0;
    int32_t rel = (int32_t)(pc - blob->code);
    uint32_t low = 0, high = (uint32_t)((nm->pcs_end - nm->pcs) / size);
    uint32_t faults = v->faults;
    /* Find the first descriptor with pc_offset >= rel; descriptors are sorted. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mem_view_s4(v, nm->pcs + middle * size + (uint64_t)l->pcdesc_pc) < rel)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t desc = nm->pcs + low * size;
    if (desc >= nm->pcs_end)
        return 0;
    int32_t offset = mem_view_s4(v, desc + (uint64_t)l->pcdesc_scope);
    *ret_exact = mem_view_s4(v, desc + (uint64_t)l->pcdesc_pc) == rel;
    if (v->faults != faults || offset <= 0)
        return 0;
    return decode_scope(v, l, nm, (uint32_t)offset, ret_scope);
}

int hs_code_scope_sender(struct mem_view *v, const struct hs_layout *l, const struct hs_nmethod *nm,
                         struct hs_scope *scope)
{
    return scope->sender != 0 && decode_scope(v, l, nm, scope->sender, scope);
}
