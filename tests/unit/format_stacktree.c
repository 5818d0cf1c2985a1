/* format_stacktree.c - stacks merged into a tree. SPDX-License-Identifier: Apache-2.0 */
#include "format/stacktree.h"
#include <stdio.h>
#include <stdlib.h>
#include "cmocka_all.h"

static frame_id a_frame(struct profile *p, enum frame_kind kind, const char *klass,
                        const char *name)
{
    class_id c = klass ? profile_class_named(p, profile_cstring(p, klass)) : 0;
    return profile_frame_of(p, kind, profile_method(p, c, profile_cstring(p, name), 0, 0), -1, 1);
}

static const char *name_of(const struct stacktree *t, uint32_t node)
{
    return profile_string_at(t->profile, stacktree_label(t, stacktree_node(t, node)->label)->name)
        ->bytes;
}

static int kind_of(const struct stacktree *t, uint32_t node)
{
    return stacktree_label(t, stacktree_node(t, node)->label)->kind;
}

static void stacks_share_their_outer_frames(void **state)
{
    (void)state;
    struct profile *p = profile_new(1 << 20);
    struct stacktree t;
    uint32_t *children = NULL, room = 0;
    const frame_id main_frame = a_frame(p, FRAME_JAVA, "a.Main", "main"),
                   b = a_frame(p, FRAME_C2, "a.B", "b"), c = a_frame(p, FRAME_INLINED, "a.B", "a"),
                   native = a_frame(p, FRAME_NATIVE, "libc.so.6", "0x12"),
                   cpp = a_frame(p, FRAME_NATIVE, "libjvm.so", "Parker::park"),
                   kernel = a_frame(p, FRAME_KERNEL, NULL, "read_[k]");
    const frame_id stacks[][3] = {
        {b, main_frame}, {c, main_frame}, {native, b, main_frame}, {cpp, b, main_frame}, {kernel}};
    static const uint32_t depths[] = {2, 2, 3, 3, 1};
    stacktree_init(&t, p);
    t.parts_tiers = true;
    for (uint32_t i = 0; i < 5; i++) {
        const struct event event = {.trace = profile_trace(p, 0, stacks[i], depths[i])};
        assert_int_equal(stacktree_add(&t, &event, 10 + i), 0);
    }
    const struct event none = {.trace = 1};
    assert_int_equal(stacktree_add(&t, &none, 5), 0);
    assert_int_equal(stacktree_add(&t, &none, 2), 0);

    assert_int_equal(stacktree_children(&t, 0, &children, &room), 3);
    assert_string_equal(name_of(&t, children[0]), "[no stack]");
    assert_int_equal(stacktree_node(&t, children[0])->self, 7);
    assert_string_equal(name_of(&t, children[1]), "a.Main.main");
    assert_int_equal(kind_of(&t, children[1]), FRAME_JAVA);
    assert_int_equal(stacktree_node(&t, children[1])->self, 0);
    assert_string_equal(name_of(&t, children[2]), "read_[k]");
    uint32_t main_node = children[1];
    assert_int_equal(stacktree_children(&t, main_node, &children, &room), 2);
    assert_string_equal(name_of(&t, children[0]), "a.B.a");
    assert_int_equal(kind_of(&t, children[0]), FRAME_INLINED);
    assert_string_equal(name_of(&t, children[1]), "a.B.b");
    assert_int_equal(stacktree_node(&t, children[1])->self, 10);
    assert_int_equal(stacktree_children(&t, children[1], &children, &room), 2);
    assert_string_equal(name_of(&t, children[0]), "Parker::park");
    assert_int_equal(kind_of(&t, children[0]), STACKTREE_CPP);
    assert_string_equal(name_of(&t, children[1]), "libc.so.6+0x12");
    assert_int_equal(stacktree_children(&t, children[1], &children, &room), 0);
    free(children);
    stacktree_done(&t);
    profile_free(p);
}

static void a_method_is_one_node_with_shares_of_how_it_ran(void **state)
{
    (void)state;
    struct profile *p = profile_new(1 << 20);
    struct stacktree t;
    const enum frame_kind kinds[] = {FRAME_INTERPRETED, FRAME_C2, FRAME_C2, FRAME_JAVA};
    stacktree_init(&t, p);
    t.notes_tiers = true;
    for (uint32_t i = 0; i < 4; i++) {
        const frame_id stack[] = {a_frame(p, FRAME_NATIVE, "libc.so.6", "read"),
                                  a_frame(p, kinds[i], "a.B", "b")};
        const struct event event = {.trace = profile_trace(p, 0, stack + i % 2, 2 - i % 2)};
        assert_int_equal(stacktree_add(&t, &event, 10 + i), 0);
    }
    assert_int_equal(t.nodes.count, 2);
    assert_string_equal(name_of(&t, 1), "a.B.b");
    assert_int_equal(kind_of(&t, 1), FRAME_JAVA);
    assert_int_equal(stacktree_node(&t, 1)->self, 11 + 13);
    const struct stacktree_ran *ran = stacktree_ran(&t, 1);
    assert_int_equal(ran->value[FRAME_INTERPRETED], 10);
    assert_int_equal(ran->value[FRAME_C2], 11 + 12);
    assert_int_equal(ran->value[FRAME_JAVA], 13);
    assert_int_equal(stacktree_ran(&t, 2)->value[FRAME_JAVA], 0);
    stacktree_done(&t);
    profile_free(p);
}

static void objects_and_threads_have_labels_of_their_own(void **state)
{
    (void)state;
    struct profile *p = profile_new(1 << 20);
    struct stacktree t;
    uint32_t *children = NULL, room = 0;
    const frame_id f = a_frame(p, FRAME_JAVA, "a.B", "m");
    const thread_id thread = profile_add_thread(p, 200001, 0, profile_cstring(p, "main"), 0, 0);
    const class_id klass = profile_class_named(p, profile_cstring(p, "a.B"));
    const struct event events[] = {
        {.trace = profile_trace(p, thread, &f, 1), .klass = klass},
        {.trace = profile_trace(p, 0, &f, 1), .text = profile_cstring(p, "a lock")},
    };
    stacktree_init(&t, p);
    for (int i = 0; i < 2; i++)
        assert_int_equal(stacktree_add(&t, &events[i], 1), 0);
    assert_int_equal(stacktree_children(&t, 0, &children, &room), 2);
    assert_string_equal(name_of(&t, children[1]), "main tid=200001");
    assert_int_equal(kind_of(&t, children[1]), STACKTREE_THREAD);
    uint32_t without_thread = children[0];
    assert_int_equal(stacktree_children(&t, children[1], &children, &room), 1);
    assert_int_equal(stacktree_children(&t, children[0], &children, &room), 1);
    assert_string_equal(name_of(&t, children[0]), "a.B");
    assert_int_equal(kind_of(&t, children[0]), STACKTREE_OBJECT);
    assert_int_equal(stacktree_children(&t, without_thread, &children, &room), 1);
    assert_string_equal(name_of(&t, children[0]), "a lock");
    free(children);
    stacktree_done(&t);
    profile_free(p);
}

static void a_model_without_room_is_told(void **state)
{
    (void)state;
    struct profile *p = profile_new(64 * 1024);
    struct stacktree t;
    int r = 0;
    stacktree_init(&t, p);
    for (int i = 0; i < 10000 && r == 0; i++) {
        char name[32];
        snprintf(name, sizeof(name), "m%d", i);
        const struct event event = {.trace = 1, .text = profile_cstring(p, name)};
        r = event.text ? stacktree_add(&t, &event, 1) : -1;
    }
    assert_true(r < 0);
    stacktree_done(&t);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_share_their_outer_frames),
        cmocka_unit_test(a_method_is_one_node_with_shares_of_how_it_ran),
        cmocka_unit_test(objects_and_threads_have_labels_of_their_own),
        cmocka_unit_test(a_model_without_room_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
