/*
 * vm_roots.c - see vm_roots.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/vm_roots.h"
#include <elf.h>
#include <string.h>
#include "hotspot/target.h"
#include "safe/mem.h"
#include "safe/release.h"

enum {
    /* A block of a storage: 64 references, a bit for each that is in use, the owner. */
    BLOCK_SLOTS = 64,
    BLOCK_USED = BLOCK_SLOTS * 8,
    BLOCK_OWNER = BLOCK_USED + 8,
    BLOCK_BYTES = BLOCK_OWNER + 8,
    /* A list of blocks: its room, how many there are, a count of users; then their addresses. */
    ARRAY_COUNT = 8,
    ARRAY_BLOCKS = 24,
    BLOCKS_MAX = 1 << 20,
    STORAGE_WORDS = 6, /* the first ones; the name and the list are among them */
    NAME_BYTES = 64,
    DATA_MAX = 64 << 20, /* bytes of data of libjvm.so that are looked through */
    DATA_WORDS = 512,
    /* A block of JNIHandleBlock: its first block names, in the second word behind the link to the
     * next one, the chain that a frame has pushed. */
    HANDLES_MAX = 32,
    HANDLES_PUSHED = 16,
    CHAIN_MAX = 1 << 20,
    PRIMITIVE_MIRRORS = 15, /* Universe::_mirrors, by BasicType */
};

static uint64_t word_of(const struct target *t, uint64_t at)
{
    return (at & 7) != 0 || at < 4096 ? 0 : target_u8(t, at);
}

/* ---- storages */

/* Whether this is the list of blocks of the storage at `storage`. */
static bool is_array_of(const struct target *t, uint64_t array, uint64_t storage)
{
    uint64_t head[ARRAY_BLOCKS / 8 + 1];
    if ((array & 7) != 0 || array < 4096 || mem_read(t->mem, array, head, sizeof(head)) < 0)
        return false;
    return head[1] > 0 && head[1] <= head[0] && head[0] <= BLOCKS_MAX &&
           word_of(t, head[ARRAY_BLOCKS / 8] + BLOCK_OWNER) == storage;
}

static bool is_weak(const struct target *t, uint64_t name)
{
    char text[NAME_BYTES];
    return target_text(t, name, text, sizeof(text)) > 0 &&
           (strstr(text, "Weak") || strstr(text, "weak"));
}

static bool is_found(const struct vm_roots *r, uint64_t at)
{
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->storages[i] == at)
            return true;
    }
    return false;
}

/* The list of blocks of the storage at `at`; 0: there is no storage, or it is empty. *ret_name is
 * the address of its name. */
static uint64_t array_of(const struct target *t, uint64_t at, uint64_t *ret_name)
{
    uint64_t words[STORAGE_WORDS];
    if ((at & 7) != 0 || at < 4096 || at >> 48 != 0 ||
        mem_read(t->mem, at, words, sizeof(words)) < 0)
        return 0;
    *ret_name = words[0];
    for (uint32_t i = 0; i < STORAGE_WORDS; i++) {
        if (is_array_of(t, words[i], at))
            return words[i];
    }
    return 0;
}

static void try_storage(struct vm_roots *r, uint64_t at)
{
    uint64_t name;
    if (r->count < VM_ROOTS_STORAGES && array_of(r->target, at, &name) != 0 && !is_found(r, at) &&
        !is_weak(r->target, name))
        r->storages[r->count++] = at;
}

/* Calls `seen` for each word of the data of libjvm.so that is not 0. */
static void each_word(const struct target *t, void (*seen)(void *arg, uint64_t word), void *arg)
{
    struct elf_segment s;
    uint64_t words[DATA_WORDS];
    for (unsigned i = 0; elf_file_segment(&t->vm->libjvm, i, &s) == 0; i++) {
        if (s.type != PT_LOAD || (s.flags & PF_W) == 0 || s.mem_size > DATA_MAX)
            continue;
        uint64_t at = (s.addr + t->vm->bias + 7) & ~(uint64_t)7;
        for (uint64_t end = s.addr + t->vm->bias + s.mem_size; at < end; at += sizeof(words)) {
            size_t bytes = end - at < sizeof(words) ? (size_t)(end - at) : sizeof(words);
            if (mem_read(t->mem, at, words, bytes) < 0)
                continue;
            for (uint32_t k = 0; k < bytes / 8; k++) {
                if (words[k] != 0)
                    seen(arg, words[k]);
            }
        }
    }
}

/* The pointers to storages are among the data of libjvm.so. */
static void see_storage(void *arg, uint64_t word)
{
    try_storage(arg, word);
}

static void each_of_block(const struct vm_roots *r, uint64_t block, uint64_t storage,
                          vm_roots_seen *seen, void *arg)
{
    uint64_t words[BLOCK_BYTES / 8];
    enum vm_root_kind kind = storage == r->jni_globals ? VM_ROOT_JNI_GLOBAL : VM_ROOT_OWN;
    if ((block & 7) != 0 || mem_read(r->target->mem, block, words, sizeof(words)) < 0 ||
        words[BLOCK_OWNER / 8] != storage)
        return;
    for (uint32_t i = 0; i < BLOCK_SLOTS; i++) {
        if ((words[BLOCK_USED / 8] >> i & 1) != 0 && words[i] != 0)
            seen(arg, kind, words[i]);
    }
}

/* The list is looked for again: when it has grown, it is at another place. */
static void each_of_storage(const struct vm_roots *r, uint64_t storage, vm_roots_seen *seen,
                            void *arg)
{
    const struct target *t = r->target;
    uint64_t name, array = array_of(t, storage, &name);
    uint64_t count = array == 0 ? 0 : target_u8(t, array + ARRAY_COUNT);
    for (uint64_t i = 0; i < count && i < BLOCKS_MAX; i++)
        each_of_block(r, word_of(t, array + ARRAY_BLOCKS + i * 8), storage, seen, arg);
}

/* ---- blocks of handles */

/* Only the last block of a chain has room left; the blocks behind it are kept for later. Returns
 * the address of the chain that was pushed, or 0. */
static uint64_t each_of_chain(const struct vm_roots *r, uint64_t block, enum vm_root_kind kind,
                              vm_roots_seen *seen, void *arg)
{
    const struct target *t = r->target;
    int32_t top_at = target_field(t, "JNIHandleBlock", "_top", -1),
            next_at = target_field(t, "JNIHandleBlock", "_next", -1);
    uint64_t deleted = target_static_value(t, "JNIHandles", "_deleted_handle", 8);
    if (top_at < 0 || next_at < 0 || block == 0)
        return 0;
    uint64_t pushed = word_of(t, block + (uint64_t)next_at + HANDLES_PUSHED);
    for (uint32_t n = 0; block != 0 && n < CHAIN_MAX; n++) {
        uint32_t top = target_u4(t, block + (uint64_t)top_at);
        for (uint32_t i = 0; i < top && i < HANDLES_MAX; i++) {
            uint64_t word = target_u8(t, block + (uint64_t)i * 8);
            /* a slot that was freed holds the address of the next such slot, marked in its lowest
             * bit; or, in JDK 8, an object that stands for all that were deleted */
            if (word != 0 && (word & 1) == 0 && word != deleted)
                seen(arg, kind, word);
        }
        block = top == HANDLES_MAX ? word_of(t, block + (uint64_t)next_at) : 0;
    }
    return pushed;
}

void vm_roots_of_thread(const struct vm_roots *r, uint64_t thread, vm_roots_seen *seen, void *arg)
{
    const struct target *t = r->target;
    int32_t at = target_field(t, "JavaThread", "_active_handles", -1);
    if (at < 0)
        at = target_field(t, "Thread", "_active_handles", -1);
    if (at >= 0)
        vm_roots_of_handles(r, word_of(t, thread + (uint64_t)at), seen, arg);
}

void vm_roots_of_handles(const struct vm_roots *r, uint64_t block, vm_roots_seen *seen, void *arg)
{
    for (uint32_t n = 0; block != 0 && n < HANDLES_MAX * HANDLES_MAX; n++)
        block = each_of_chain(r, block, VM_ROOT_JNI_LOCAL, seen, arg);
}

/* ---- static fields */

static void each_static(const struct vm_roots *r, vm_roots_seen *seen, void *arg)
{
    static const struct {
        const char *type, *name;
        uint32_t count;
    } rows[] = {
        {"Universe", "_mirrors[0]", PRIMITIVE_MIRRORS},
        {"Universe", "_main_thread_group", 1},
        {"Universe", "_system_thread_group", 1},
        {"Universe", "_the_empty_class_klass_array", 1},
        {"Universe", "_null_ptr_exception_instance", 1},
        {"Universe", "_arithmetic_exception_instance", 1},
        {"Universe", "_vm_exception", 1},
        {"SystemDictionary", "_system_loader_lock_obj", 1},
        {"SystemDictionary", "_java_system_loader", 1},
    };
    const struct target *t = r->target;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t at = target_static(t, rows[i].type, rows[i].name);
        for (uint32_t k = 0; at != 0 && k < rows[i].count; k++) {
            uint64_t word = target_u8(t, at + (uint64_t)k * 8);
            if (word != 0)
                seen(arg, VM_ROOT_OWN, word);
        }
    }
}

struct seeing {
    vm_roots_seen *seen;
    void *arg;
};

static void see_word(void *arg, uint64_t word)
{
    const struct seeing *s = arg;
    s->seen(s->arg, VM_ROOT_OWN, word);
}

void vm_roots_each_word(const struct vm_roots *r, vm_roots_seen *seen, void *arg)
{
    struct seeing s = {seen, arg};
    if (r->target->layout->version < RELEASE_THREAD_HANDLES)
        each_word(r->target, see_word, &s);
}

/* ---- all */

void vm_roots_open(struct vm_roots *r, const struct target *t)
{
    *r = (struct vm_roots){.target = t};
    r->jni_globals = target_static_value(t, "JNIHandles", "_global_handles", 8);
    r->has_blocks = target_size(t, "OopStorage") < 0;
    if (!r->has_blocks) {
        try_storage(r, r->jni_globals);
        each_word(t, see_storage, r);
    }
}

void vm_roots_each(const struct vm_roots *r, vm_roots_seen *seen, void *arg)
{
    if (r->has_blocks)
        each_of_chain(r, r->jni_globals, VM_ROOT_JNI_GLOBAL, seen, arg);
    for (uint32_t i = 0; i < r->count; i++)
        each_of_storage(r, r->storages[i], seen, arg);
    each_static(r, seen, arg);
}
