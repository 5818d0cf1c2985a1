/*
 * safe_hs_names.c - the names of methods that come and go, in a made-up VM. Also run under TSan.
 *
 * Each method has its structures at a place of its own; one that replaces another lies at the same
 * addresses down to the texts, as in a VM that uses its memory again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "safe/hs_names.h"
#include "safe/ring.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 512,
    PLACE_BYTES = 256,
    VM = 0x10000000,
    UNLOADED = 0x20000000,
    SAFEPOINTS = 0x20000008,
    MEMORY_BYTES = 64 << 10,
    FRAMES = 4,
};

struct place {
    unsigned char bytes[PLACE_BYTES];
};

static struct place *places;
static _Atomic uint64_t unloaded, safepoints;
static _Atomic uint32_t reads; /* of all but the counters */

static int read_vm(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    uint64_t value = addr == UNLOADED ? atomic_load(&unloaded) : atomic_load(&safepoints);
    (void)m;
    if (addr == UNLOADED || addr == SAFEPOINTS) {
        memcpy(dst, &value, len);
        return 0;
    }
    if (addr < VM || addr + len > VM + PLACES * sizeof(*places))
        return -EFAULT;
    atomic_fetch_add_explicit(&reads, 1, memory_order_relaxed);
    memcpy(dst, (unsigned char *)places + (addr - VM), len);
    return 0;
}

static const struct mem_ops vm_ops = {.read = read_vm};
static struct mem vm_memory = {.ops = &vm_ops};

/* Offsets in a place: the method, its constant part with code and lines, pool, class, symbols. */
enum {
    CONST = 32,
    POOL = 64,
    KLASS = 120,
    CLASS_NAME = 128,
    NAME = 152,
    SIGNATURE = 176,
    FILE_NAME = 200
};

static const struct hs_layout vm_layout = {
    .method_const = 8,
    .const_constants = 0,
    .const_flags = 8,
    .const_code_size = 10,
    .const_name = 12,
    .const_signature = 14,
    .const_size = 16,
    .pool_holder = 0,
    .pool_length = 8,
    .pool_source_file = 12,
    .pool_size = 16,
    .klass_name = 0,
    .symbol_length = 0,
    .symbol_body = 2,
    .count_unloaded = UNLOADED,
    .count_safepoints = SAFEPOINTS,
};

static uint64_t address(uint32_t place)
{
    return VM + (uint64_t)place * PLACE_BYTES;
}

static void put(uint32_t place, uint32_t offset, uint64_t value, size_t len)
{
    memcpy(places[place].bytes + offset, &value, len);
}

static void put_symbol(uint32_t place, uint32_t offset, const char *text)
{
    put(place, offset, strlen(text), 2);
    memcpy(places[place].bytes + offset + 2, text, strlen(text));
}

/* Method `number` of a class and a file of its number; bci 0 is at line number % 7 + 1. */
static void load_method(uint32_t place, uint32_t number)
{
    char text[24];
    put(place, 8, address(place) + CONST, 8);
    put(place, CONST, address(place) + POOL, 8);
    put(place, CONST + 8, HS_CONST_HAS_LINES, 2);
    put(place, CONST + 10, 4, 2);
    put(place, CONST + 12, 1, 2);
    put(place, CONST + 14, 2, 2);
    put(place, CONST + 20, number % 7 + 1, 2); /* lines behind four bytes of code */
    put(place, POOL, address(place) + KLASS, 8);
    put(place, POOL + 8, 4, 4);
    put(place, POOL + 12, 3, 2);
    put(place, POOL + 24, address(place) + NAME, 8);
    put(place, POOL + 32, address(place) + SIGNATURE, 8);
    put(place, POOL + 40, address(place) + FILE_NAME, 8);
    put(place, KLASS, address(place) + CLASS_NAME, 8);
    snprintf(text, sizeof(text), "p/C%07u", number);
    put_symbol(place, CLASS_NAME, text);
    snprintf(text, sizeof(text), "m%07u", number);
    put_symbol(place, NAME, text);
    put_symbol(place, SIGNATURE, "(I)V");
    snprintf(text, sizeof(text), "C%07u.java", number);
    put_symbol(place, FILE_NAME, text);
}

/* The VM counts, and then gives the memory to another class. */
static void replace_method(uint32_t place, uint32_t number)
{
    atomic_fetch_add(&unloaded, 1);
    load_method(place, number);
}

static struct hs_names names;
static struct ring ring;
static void *names_memory, *ring_memory;

struct sample {
    uint32_t indices[FRAMES], numbers[FRAMES];
};

static int set_up(void **state)
{
    (void)state;
    places = calloc(PLACES, sizeof(*places));
    names_memory = calloc(1, MEMORY_BYTES);
    ring_memory = calloc(1, ring_bytes(64, sizeof(struct sample)));
    if (!places || !names_memory || !ring_memory)
        return -1;
    hs_names_init(&names, &vm_layout, names_memory, MEMORY_BYTES);
    for (uint32_t i = 0; i < PLACES; i++)
        load_method(i, i);
    return ring_init(&ring, ring_memory, ring_bytes(64, sizeof(struct sample)),
                     sizeof(struct sample))
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(places);
    free(names_memory);
    free(ring_memory);
    return 0;
}

/* What a handler does for a stack of one frame. */
static uint32_t find(uint32_t place)
{
    struct mem_view v = {.mem = &vm_memory};
    struct hs_names_visit visit;
    uint32_t index;
    hs_names_enter(&names, &v, &visit);
    index = hs_names_find(&visit, &v, address(place));
    hs_names_leave(&visit);
    return index;
}

static bool is_text(const char *text, uint32_t len, const char *wanted)
{
    return strlen(wanted) == len && memcmp(text, wanted, len) == 0;
}

/* Whether the entry has all of method `number`. */
static bool is_method(uint32_t index, uint32_t number)
{
    struct hs_names_method m;
    char class_name[24], name[24], file[24];
    snprintf(class_name, sizeof(class_name), "p/C%07u", number);
    snprintf(name, sizeof(name), "m%07u", number);
    snprintf(file, sizeof(file), "C%07u.java", number);
    return hs_names_get(&names, index, &m) && is_text(m.class_name, m.class_name_len, class_name) &&
           is_text(m.name, m.name_len, name) && is_text(m.signature, m.signature_len, "(I)V") &&
           is_text(m.source_file, m.source_file_len, file) &&
           hs_names_line(&names, index, 0) == (int32_t)(number % 7 + 1);
}

static void a_method_is_copied_once(void **state)
{
    uint32_t index = find(7), before = atomic_load(&reads);
    (void)state;
    assert_true(is_method(index, 7));
    assert_int_equal(find(7), index);
    assert_int_equal(atomic_load(&reads), before); /* nothing was looked up again */
    assert_false(is_method(0, 7));
    assert_int_equal(find(PLACES), 0);
    assert_int_equal(atomic_load(&names.unreadable), 1);
}

static void what_takes_the_address_of_a_method_takes_not_its_name(void **state)
{
    uint32_t first = find(3), second, third;
    (void)state;
    replace_method(3, 1000);
    second = find(3);
    assert_true(is_method(second, 1000));
    assert_true(is_method(first, 3)); /* old samples keep theirs */
    atomic_fetch_add(&unloaded, 1);
    assert_int_equal(find(3), second); /* looked at again, and still right */
    for (uint32_t i = 0; i < 100; i++) {
        replace_method(3, 2000 + i);
        third = find(3);
        assert_true(is_method(third, 2000 + i));
    }
    assert_int_equal(atomic_load(&names.full), 0);
}

static void each_thing_that_a_redefinition_may_change_counts(void **state)
{
    static const uint32_t changed[] = {CLASS_NAME + 5, NAME + 5, SIGNATURE + 3, FILE_NAME + 5,
                                       CONST + 20};
    (void)state;
    for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++) {
        uint32_t before = find(9);
        atomic_fetch_add(&safepoints, 1);
        places[9].bytes[changed[i]]++;
        assert_int_not_equal(find(9), before);
    }
}

static void a_vm_that_does_not_count_is_looked_at_in_each_walk(void **state)
{
    static const struct hs_layout silent = {.method_const = 8,
                                            .const_flags = 8,
                                            .const_code_size = 10,
                                            .const_name = 12,
                                            .const_signature = 14,
                                            .const_size = 16,
                                            .pool_length = 8,
                                            .pool_size = 16,
                                            .pool_source_file = 12,
                                            .symbol_body = 2};
    uint32_t first;
    (void)state;
    names.layout = &silent;
    first = find(3);
    assert_int_equal(find(3), first);
    load_method(3, 1000);
    assert_true(is_method(find(3), 1000));
    assert_true(is_method(first, 3));
}

static void names_without_end_fit_into_the_memory(void **state)
{
    uint32_t turns = 0;
    int emptied;
    (void)state;
    for (uint32_t i = 0; i < 50000; i++) {
        replace_method(i % PLACES, i);
        assert_true(is_method(find(i % PLACES), i));
        turns += (uint32_t)hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied);
    }
    assert_int_equal(atomic_load(&names.full), 0);
    assert_true(turns > 10);
    assert_true(names.given_back > 40000);
}

/* Until the current half is half full. */
static uint32_t fill(void)
{
    uint32_t generation = names.generation, place = 0;
    int emptied;
    while (names.generation == generation) {
        assert_int_not_equal(find(place++), 0);
        assert_false(hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied));
    }
    return place;
}

static void a_name_stays_as_long_as_a_sample_may_have_it(void **state)
{
    struct sample *waits = ring_claim(&ring), *later;
    uint32_t index = find(5);
    int emptied = -1;
    (void)state;
    waits->numbers[0] = 5;
    assert_int_equal(ring_publish(&ring, waits, sizeof(*waits)), RING_PUBLISHED);
    fill();
    assert_false(hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied));
    later = ring_claim(&ring); /* of the new generation: need not be waited for */
    assert_non_null(later);
    assert_int_equal(ring_publish(&ring, later, sizeof(*later)), RING_PUBLISHED);
    assert_false(hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied));
    assert_true(is_method(index, 5));
    assert_int_equal(((struct sample *)ring_peek(&ring))->numbers[0], 5);
    ring_release(&ring);
    assert_true(hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied));
    assert_int_equal(emptied, hs_names_half_of(&names, index));
    assert_true(is_method(find(5), 5));
    assert_int_not_equal(hs_names_half_of(&names, find(5)), emptied);
}

static void publish_to(struct ring *to)
{
    struct sample *s = ring_claim(to);
    assert_non_null(s);
    assert_int_equal(ring_publish(to, s, sizeof(*s)), RING_PUBLISHED);
}

static void a_ring_that_was_read_is_not_waited_for_when_it_begins_anew(void **state)
{
    size_t bytes = ring_bytes(64, sizeof(struct sample));
    void *memory = calloc(1, bytes);
    struct ring other;
    const struct ring *rings[] = {&other, &ring};
    int emptied;
    (void)state;
    assert_non_null(memory);
    assert_true(ring_init(&other, memory, bytes, sizeof(struct sample)));
    publish_to(&other);
    publish_to(&ring);
    fill();
    assert_false(hs_names_turn(&names, rings, 2, &emptied));
    assert_non_null(ring_peek(&ring));
    ring_release(&ring);
    assert_false(hs_names_turn(&names, rings, 2, &emptied));
    assert_true(ring_init(&ring, ring_memory, bytes, sizeof(struct sample)));
    assert_false(hs_names_turn(&names, rings, 2, &emptied));
    assert_non_null(ring_peek(&other));
    ring_release(&other);
    assert_true(hs_names_turn(&names, rings, 2, &emptied));
    free(memory);
}

static void a_handler_that_is_still_at_work_is_waited_for(void **state)
{
    struct mem_view v = {.mem = &vm_memory};
    struct hs_names_visit visit;
    uint32_t index;
    int emptied;
    (void)state;
    hs_names_enter(&names, &v, &visit);
    fill();
    for (int i = 0; i < 3; i++)
        assert_false(hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied));
    index = hs_names_find(&visit, &v, address(PLACES - 1));
    assert_true(is_method(index, PLACES - 1));
    hs_names_leave(&visit);
    assert_true(hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied));
    assert_int_equal(emptied, hs_names_half_of(&names, index));
}

static void a_half_that_is_full_is_counted_and_left(void **state)
{
    uint32_t found = 0, lost = 0;
    int emptied;
    (void)state;
    for (uint32_t i = 0; i < PLACES; i++) {
        uint32_t index = find(i);
        lost += index == 0;
        found += index != 0 && is_method(index, i);
    }
    assert_true(lost > 0 && found > 0 && lost + found == PLACES);
    assert_int_equal(atomic_load(&names.full), lost);
    assert_false(hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied));
    assert_true(is_method(find(PLACES - 1), PLACES - 1));
    assert_int_equal(atomic_load(&names.full), lost);
}

enum { HANDLERS = 3, SAMPLES = 20000, OWN_PLACES = PLACES / (HANDLERS + 1) };

static _Atomic uint32_t handlers_left, nameless;

static int publish(const struct sample *s)
{
    void *draft = ring_claim(&ring);
    if (!draft)
        return 0;
    memcpy(draft, s, sizeof(*s));
    return ring_publish(&ring, draft, sizeof(*s)) != RING_LOST;
}

/* A thread whose classes come and go, and the signals that interrupt it. The last places are
 * everybody's, and stay. */
static void *handle(void *argument)
{
    uint32_t self = (uint32_t)(uintptr_t)argument, numbers[PLACES], next = self * 1000000;
    for (uint32_t i = 0; i < PLACES; i++)
        numbers[i] = i;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct mem_view v = {.mem = &vm_memory};
        struct hs_names_visit visit;
        uint32_t own = self * OWN_PLACES + i % OWN_PLACES;
        struct sample s;
        replace_method(own, ++next);
        numbers[own] = next;
        hs_names_enter(&names, &v, &visit);
        for (uint32_t f = 0; f < FRAMES; f++) {
            uint32_t place = f % 2 ? HANDLERS * OWN_PLACES + (i + f) % OWN_PLACES
                                   : self * OWN_PLACES + (i + OWN_PLACES - f) % OWN_PLACES;
            s.indices[f] = hs_names_find(&visit, &v, address(place));
            s.numbers[f] = numbers[place];
            if (s.indices[f] == 0)
                atomic_fetch_add(&nameless, 1);
        }
        while (!publish(&s))
            sched_yield(); /* the reader has not had the CPU */
        hs_names_leave(&visit);
    }
    atomic_fetch_sub(&handlers_left, 1);
    return NULL;
}

static void every_sample_shows_the_names_of_its_moment_with_many_handlers(void **state)
{
    pthread_t threads[HANDLERS];
    uint32_t right = 0, wrong = 0, is_over = 0;
    int emptied;
    (void)state;
    atomic_store(&handlers_left, HANDLERS);
    atomic_store(&nameless, 0);
    for (uintptr_t i = 0; i < HANDLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, handle, (void *)i), 0);
    while (!is_over) {
        const struct sample *s;
        is_over = atomic_load(&handlers_left) == 0;
        while ((s = ring_peek(&ring)) != NULL) {
            for (uint32_t f = 0; f < FRAMES; f++) {
                if (s->indices[f] != 0)
                    *(is_method(s->indices[f], s->numbers[f]) ? &right : &wrong) += 1;
            }
            ring_release(&ring);
            hs_names_turn(&names, (const struct ring *const[]){&ring}, 1, &emptied);
        }
        sched_yield();
    }
    for (int i = 0; i < HANDLERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    assert_true(right > FRAMES * 1000);
    assert_true(names.given_back > 1000);
    assert_int_equal(atomic_load(&names.full), atomic_load(&nameless));
    assert_int_equal(atomic_load(&names.unreadable), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_method_is_copied_once),
        TEST(what_takes_the_address_of_a_method_takes_not_its_name),
        TEST(each_thing_that_a_redefinition_may_change_counts),
        TEST(a_vm_that_does_not_count_is_looked_at_in_each_walk),
        TEST(names_without_end_fit_into_the_memory),
        TEST(a_name_stays_as_long_as_a_sample_may_have_it),
        TEST(a_ring_that_was_read_is_not_waited_for_when_it_begins_anew),
        TEST(a_handler_that_is_still_at_work_is_waited_for),
        TEST(a_half_that_is_full_is_counted_and_left),
        TEST(every_sample_shows_the_names_of_its_moment_with_many_handlers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
