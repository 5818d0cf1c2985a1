/* framemade.c - see framemade.h. SPDX-License-Identifier: Apache-2.0 */
#include "framemade.h"
#include <errno.h>
#include <string.h>

/* Offsets in the structs of this VM. */
enum {
    M_CONST = 8,
    M_ACCESS = 16,
    C_POOL = 8,
    C_FULL = 16,
    C_FLAGS = 20,
    C_CODE_SIZE = 24,
    C_STACK = 26,
    C_LOCALS = 28,
    C_SIGNATURE = 30,
    C_BYTES = 40,
    P_CACHE = 0,
    P_TAGS = 8,
    P_LENGTH = 16,
    P_BYTES = 24,
    S_LENGTH = 0,
    S_BODY = 4,
    ENTRY = 16,
    HAS_HANDLERS = 1,
    HAS_VARIABLES = 2,
};

/* The constant pool: 1 the method's own descriptor; 2, 3, 4 those of the cache's entries; then
 * names with types, and what names these. */
enum { POOL_OWN = 1, POOL_TYPES = 2, POOL_NAMES = 5, POOL_USES = 8, POOL_LENGTH = 11 };

static int read_mem(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    const struct framemade *f = (const struct framemade *)m;
    uint64_t at = addr - FRAMEMADE_AT;
    if (at >= FRAMEMADE_BYTES || len > FRAMEMADE_BYTES - at)
        return -EFAULT;
    memcpy(dst, (const char *)f->words + at, len);
    return 0;
}

void framemade_write(struct framemade *f, uint32_t at, const void *bytes, uint32_t count)
{
    if (at < FRAMEMADE_BYTES)
        memcpy((char *)f->words + at, bytes,
               count < FRAMEMADE_BYTES - at ? count : FRAMEMADE_BYTES - at);
}

static void put(struct framemade *f, uint32_t at, uint64_t value, uint32_t bytes)
{
    framemade_write(f, at, &value, bytes);
}

static void put_symbol(struct framemade *f, uint32_t index, const char *text)
{
    uint32_t at = FRAMEMADE_SYMBOLS + index * 128, len = (uint32_t)strlen(text);
    len = len < 120 ? len : 120;
    put(f, FRAMEMADE_POOL + P_BYTES + index * 8, FRAMEMADE_AT + at, 8);
    put(f, at + S_LENGTH, len, 2);
    framemade_write(f, at + S_BODY, text, len);
}

static void put_pool(struct framemade *f)
{
    static const char *const types[] = {"(Ljava/lang/String;JI)[I", "J", "()V"};
    put(f, FRAMEMADE_POOL + P_CACHE, FRAMEMADE_AT + FRAMEMADE_CACHE, 8);
    put(f, FRAMEMADE_POOL + P_TAGS, FRAMEMADE_AT + FRAMEMADE_TAGS, 8);
    put(f, FRAMEMADE_POOL + P_LENGTH, POOL_LENGTH, 4);
    put(f, FRAMEMADE_TAGS, POOL_LENGTH, 4);
    put(f, FRAMEMADE_TAGS + 4 + 1, 3, 1); /* an int */
    put(f, FRAMEMADE_TAGS + 4 + 2, 7, 1); /* a class */
    for (uint32_t i = 0; i < 3; i++) {
        put_symbol(f, POOL_TYPES + i, types[i]);
        put(f, FRAMEMADE_POOL + P_BYTES + (POOL_NAMES + i) * 8, (POOL_TYPES + i) << 16, 8);
        put(f, FRAMEMADE_POOL + P_BYTES + (POOL_USES + i) * 8, (POOL_NAMES + i) << 16, 8);
        put(f, FRAMEMADE_CACHE + ENTRY * (i + FRAMEMADE_CALL), POOL_USES + i, 2);
    }
}

void framemade_init(struct framemade *f)
{
    static const struct mem_ops ops = {read_mem};
    const struct interp_mask_entries entries = {.list = -1, .bytes = ENTRY};
    memset(f, 0, sizeof(*f));
    f->mem.ops = &ops;
    f->target = (struct target){.mem = &f->mem, .layout = &f->layout};
    f->layout = (struct hs_layout){.version = 17,
                                   .method_const = M_CONST,
                                   .method_access = M_ACCESS,
                                   .const_size = C_BYTES,
                                   .const_constants = C_POOL,
                                   .const_flags = C_FLAGS,
                                   .const_code_size = C_CODE_SIZE,
                                   .const_max_stack = C_STACK,
                                   .const_max_locals = C_LOCALS,
                                   .const_signature = C_SIGNATURE,
                                   .const_full_size = C_FULL,
                                   .pool_size = P_BYTES,
                                   .pool_length = P_LENGTH,
                                   .symbol_length = S_LENGTH,
                                   .symbol_body = S_BODY};
    f->masks = (struct interp_mask){.target = &f->target,
                                    .cache = P_CACHE,
                                    .tags = P_TAGS,
                                    .fields = entries,
                                    .calls = entries,
                                    .dynamics = entries,
                                    .work_left = 1000000};
    f->masks.methods = (struct method_debug_facts){.target = &f->target,
                                                   .is_known = true,
                                                   .has_exceptions = HAS_HANDLERS,
                                                   .has_variables = HAS_VARIABLES};
    f->maps = (struct oop_maps){
        .target = &f->target,
        .is_known = true,
        .size = 4,
        .set_bytes = 8,
        .pair_map = 4,
        .pair_bytes = 8,
        .map_bytes = 4,
        .value = {.register_shift = 2, .type_mask = 3, .narrow = 1, .saved = 2, .derived = 3},
        .stack0 = 8};
    f->blob = (struct hs_blob){.start = FRAMEMADE_AT + FRAMEMADE_BLOB,
                               .code = FRAMEMADE_AT + FRAMEMADE_BLOB + 64,
                               .end = FRAMEMADE_AT + FRAMEMADE_MAPS};
    put(f, FRAMEMADE_BLOB, FRAMEMADE_AT + FRAMEMADE_MAPS, 8);
    put_pool(f);
}

void framemade_put(struct framemade *f, const struct framemade_method *m)
{
    uint32_t tables = m->handler_count > 0 ? m->handler_count * METHOD_DEBUG_HANDLER + 2 : 0;
    uint32_t words = (C_BYTES + m->code_size + tables + 7) / 8 + 1;
    uint32_t end = FRAMEMADE_CODE + words * 8;
    interp_mask_done(&f->masks);
    framemade_init(f);
    put_symbol(f, POOL_OWN, m->descriptor);
    put(f, FRAMEMADE_METHOD + M_CONST, FRAMEMADE_AT + FRAMEMADE_CODE, 8);
    put(f, FRAMEMADE_METHOD + M_ACCESS, m->is_static ? 8 : 0, 4);
    put(f, FRAMEMADE_CODE + C_POOL, FRAMEMADE_AT + FRAMEMADE_POOL, 8);
    put(f, FRAMEMADE_CODE + C_FULL, words, 4);
    put(f, FRAMEMADE_CODE + C_FLAGS, tables ? HAS_HANDLERS : 0, 2);
    put(f, FRAMEMADE_CODE + C_CODE_SIZE, m->code_size, 2);
    put(f, FRAMEMADE_CODE + C_STACK, m->stack, 2);
    put(f, FRAMEMADE_CODE + C_LOCALS, m->locals, 2);
    put(f, FRAMEMADE_CODE + C_SIGNATURE, POOL_OWN, 2);
    framemade_write(f, FRAMEMADE_CODE + C_BYTES, m->code, m->code_size);
    if (tables) {
        put(f, end - 2, m->handler_count, 2);
        framemade_write(f, end - tables, m->handlers, tables - 2);
    }
}
