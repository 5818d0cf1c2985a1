/*
 * safe_walk_image.c - the VM reader and the walker on recorded memory of JDK 8 to 26 and of two
 * CPUs (tests/data/walk). How the images were made: tests/data/walk/README. No JVM is needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "hotspot/layout.h"
#include "safe/hs_names.h"
#include "safe/walk_vm.h"
#include "walkfile.h"
#include <stdio.h>
#include <stdlib.h>

#define FRAMES_MAX WALKFILE_FRAMES_MAX

struct image {
    struct walkfile file;
    struct hs_layout layout;
};

static int load(struct image *m, const char **ret_missing)
{
    return layout_load(&m->file.blocks.mem, &m->file.elf, m->file.bias, LAYOUT_walk | LAYOUT_names,
                       &m->layout, ret_missing);
}

static int walk(const struct image *m, struct walkfile_walk *w, const struct regs *regs,
                struct walk_frame *frames, uint32_t max, bool *ret_cut)
{
    const struct hs_memory memory = {.mem = &w->blocks.mem, .layout = &m->layout};
    return walk_vm_thread(&memory, w->thread, regs, NULL, frames, max, ret_cut);
}

static void check_walk(const struct image *m, struct walkfile_walk *w)
{
    static unsigned char memory[1 << 20];
    struct walk_frame frames[FRAMES_MAX];
    struct hs_names names;
    struct hs_names_visit visit;
    struct mem_view v = {.mem = &w->blocks.mem};
    bool cut;
    int n = walk(m, w, w->has_regs ? &w->regs : NULL, frames, FRAMES_MAX, &cut);
    assert_int_equal(n, w->count);
    memset(memory, 0, sizeof(memory));
    hs_names_init(&names, &m->layout, memory, sizeof(memory));
    hs_names_enter(&names, &v, &visit);
    for (int i = 0; i < n; i++) {
        const struct walkfile_frame *e = &w->frames[i];
        struct hs_names_method method;
        char text[1100];
        assert_int_equal(frames[i].method, e->frame.method);
        assert_int_equal(frames[i].bci, e->frame.bci);
        assert_int_equal(frames[i].kind, e->frame.kind);
        assert_int_equal(frames[i].level, e->frame.level);
        uint32_t index = hs_names_find(&visit, &v, frames[i].method);
        assert_true(hs_names_get(&names, index, &method));
        assert_int_equal(hs_names_find(&visit, &v, frames[i].method), index);
        snprintf(text, sizeof(text), "%.*s.%.*s %.*s:%d", (int)method.class_name_len,
                 method.class_name, (int)method.name_len, method.name, (int)method.signature_len,
                 method.signature, hs_names_line(&names, index, frames[i].bci));
        assert_string_equal(text, e->text);
    }
}

static const struct recorded {
    const char *name;
    unsigned version;
    enum hs_cpu cpu;
} images[] = {
    {"jdk8", 8, HS_CPU_X86_64},
    {"jdk11", 11, HS_CPU_X86_64},
    {"jdk17", 17, HS_CPU_X86_64},
    {"jdk21", 21, HS_CPU_X86_64},
    {"jdk25", 25, HS_CPU_X86_64},
    {"jdk26", 26, HS_CPU_X86_64},
    {"jdk17-aarch64", 17, HS_CPU_AARCH64},
    {"jdk25-aarch64", 25, HS_CPU_AARCH64},
};
#define IMAGE_COUNT (sizeof(images) / sizeof(*images))

static void every_recorded_walk_gives_the_frames_that_the_jvm_gave(void **state)
{
    for (unsigned i = 0; i < IMAGE_COUNT; i++) {
        struct image m;
        const char *missing;
        walkfile_open(images[i].name, &m.file);
        assert_int_equal(load(&m, &missing), 0);
        assert_int_equal(m.layout.version, images[i].version);
        assert_int_equal(m.layout.cpu, images[i].cpu);
        for (uint32_t k = 0; k < m.file.walk_count; k++)
            check_walk(&m, &m.file.walks[k]);
        walkfile_close(&m.file);
    }
}

static void a_stack_cut_to_fewer_frames_says_so(void **state)
{
    struct image m;
    const char *missing;
    struct walk_frame frames[2];
    bool cut = 0;
    walkfile_open("jdk17", &m.file);
    assert_int_equal(load(&m, &missing), 0);
    struct walkfile_walk *w = &m.file.walks[0];
    int n = walk(&m, w, w->has_regs ? &w->regs : NULL, frames, 2, &cut);
    assert_int_equal(n, 2);
    assert_int_equal(cut, 1);
    assert_int_equal(frames[1].method, w->frames[1].frame.method);
    walkfile_close(&m.file);
}

static uint64_t seed = 1;
static uint64_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed ^ (seed >> 29);
}

static void walks_from_damaged_memory_and_registers_end(void **state)
{
    for (unsigned i = 0; i < IMAGE_COUNT; i++) {
        struct image m;
        const char *missing;
        walkfile_open(images[i].name, &m.file);
        assert_int_equal(load(&m, &missing), 0);
        for (int round = 0; round < 3000; round++) {
            struct walkfile_walk *w = &m.file.walks[next_random() % m.file.walk_count];
            struct walk_frame frames[FRAMES_MAX];
            struct regs regs = w->regs;
            bool cut;
            uint64_t x = next_random();
            if (w->has_regs && x & 1)
                regs.pc += (x >> 32) % 4096 - 2048;
            if (w->has_regs && x & 2)
                regs.sp += ((x >> 16) % 64 - 32) * 8;
            struct walkimage_block *block = &w->blocks.list[(x >> 8) % w->blocks.count];
            unsigned char old = block->bytes[x >> 59], *at = &block->bytes[x >> 59];
            *at = (unsigned char)(x >> 40);
            int n = walk(&m, w, w->has_regs ? &regs : NULL, frames, FRAMES_MAX, &cut);
            assert_true(n <= FRAMES_MAX && n >= -(int)WALK_CAUSE_COUNT);
            *at = old;
        }
        walkfile_close(&m.file);
    }
}

static void damaged_tables_are_refused_or_read_but_never_crash(void **state)
{
    for (unsigned i = 0; i < IMAGE_COUNT; i++) {
        struct image m;
        const char *missing;
        walkfile_open(images[i].name, &m.file);
        for (int round = 0; round < 40; round++) {
            for (int k = 0; k < 50; k++) {
                uint64_t x = next_random();
                m.file.blocks.list[(x >> 8) % m.file.blocks.count].bytes[x >> 59] =
                    (unsigned char)(x >> 40);
            }
            int error = load(&m, &missing);
            assert_true(error <= 0);
        }
        walkfile_close(&m.file);
    }
}

static void a_vm_without_a_fact_is_refused_by_the_facts_name(void **state)
{
    struct image m;
    const char *missing = "";
    walkfile_open("jdk25", &m.file);
    /* take the name of one field away wherever the tables have it */
    for (uint32_t i = 0; i < m.file.blocks.count; i++) {
        struct walkimage_block *b = &m.file.blocks.list[i];
        for (unsigned at = 0; at + 9 < WALKIMAGE_BLOCK; at++) {
            if (memcmp(b->bytes + at, "_deopt_ha", 9) == 0)
                b->bytes[at] = 'X';
        }
    }
    assert_true(load(&m, &missing) < 0);
    assert_non_null(strstr(missing, "deopt"));
    walkfile_close(&m.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorded_walk_gives_the_frames_that_the_jvm_gave),
        cmocka_unit_test(a_stack_cut_to_fewer_frames_says_so),
        cmocka_unit_test(walks_from_damaged_memory_and_registers_end),
        cmocka_unit_test(damaged_tables_are_refused_or_read_but_never_crash),
        cmocka_unit_test(a_vm_without_a_fact_is_refused_by_the_facts_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
