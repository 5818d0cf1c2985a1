/*
 * verify_frames.c - see verify_frames.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_frames.h"
#include <stdbool.h>
#include <string.h>
#include "base/fnv.h"
#include "safe/mem_self.h"
#include "safe/release.h"

static const struct hs_layout *layout;
static struct hs_names *names;

void verify_frames_prepare(const struct hs_layout *l, struct hs_names *n)
{
    layout = l;
    names = n;
}

static uint32_t find_name(struct mem_view *v, uint64_t method)
{
    struct hs_names_visit visit;
    uint32_t name;
    hs_names_enter(names, v, &visit);
    name = hs_names_find(&visit, v, method);
    hs_names_leave(&visit);
    return name;
}

uint64_t verify_frames_id_of(struct mem_view *v, const struct hs_layout *l, uint64_t method)
{
    uint64_t cm = mem_view_u8(v, method + (uint64_t)l->method_const);
    uint64_t pool = mem_view_u8(v, cm + (uint64_t)l->const_constants);
    uint64_t holder = mem_view_u8(v, pool + (uint64_t)l->pool_holder);
    uint64_t ids = mem_view_u8(v, holder + (uint64_t)l->klass_jmethod_ids);
    uint64_t count = ids ? mem_view_u8(v, ids) : 0;
    uint32_t number = mem_view_u2(v, cm + (uint64_t)l->const_idnum);
    return number < count ? mem_view_u8(v, ids + 8 * ((uint64_t)number + 1)) : 0;
}

void verify_frames_of_walk(const struct walk_frame *walked, uint32_t count,
                           struct verify_frame *ret_frames)
{
    struct mem_view v = {.mem = &mem_self};
    for (uint32_t i = 0; i < count; i++) {
        ret_frames[i] = (struct verify_frame){
            .id = verify_frames_id_of(&v, layout, walked[i].method),
            .name = find_name(&v, walked[i].method),
            .bci = walked[i].bci,
            .kind = walked[i].kind,
            .level = walked[i].level,
            .trust = (uint8_t)walked[i].flags,
        };
    }
}

struct verify_frame verify_frames_of_id(uint64_t id, int32_t bci)
{
    struct mem_view v = {.mem = &mem_self};
    struct verify_frame f = {.id = id, .bci = bci};
    uint64_t method;
    if (layout->version < RELEASE_OPAQUE_METHOD_IDS && id != 0) {
        method = mem_view_u8(&v, id);
        f.name = method && v.faults == 0 ? find_name(&v, method) : 0;
    }
    return f;
}

bool verify_frames_is(const struct verify_frame *f, const char *class_name, const char *name_start)
{
    size_t class_len = strlen(class_name), name_len = strlen(name_start);
    struct hs_names_method m;
    return f->name != 0 && hs_names_get(names, f->name, &m) && m.class_name_len == class_len &&
           memcmp(m.class_name, class_name, class_len) == 0 && m.name_len >= name_len &&
           memcmp(m.name, name_start, name_len) == 0;
}

uint64_t verify_frames_hash_texts(const char *class_name, size_t class_len, const char *name,
                                  size_t name_len, const char *signature, size_t signature_len)
{
    uint64_t hash = fnv_add(FNV_START, class_name, class_len);
    hash = fnv_add(fnv_add(hash, ".", 1), name, name_len);
    hash = fnv_add(hash, signature, signature_len);
    return fnv_end(hash) | 1; /* verify_inject.c chooses methods by the other bits */
}

uint64_t verify_frames_hash(const struct verify_frame *f)
{
    struct hs_names_method m;
    if (f->name == 0 || !hs_names_get(names, f->name, &m))
        return 0;
    return verify_frames_hash_texts(m.class_name, m.class_name_len, m.name, m.name_len, m.signature,
                                    m.signature_len);
}
