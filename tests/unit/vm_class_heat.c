/*
 * vm_class_heat.c - whether methods run, and which are meant, by classes laid out by hand.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/class_heat.h"
#include <string.h>
#include "cmocka_all.h"

enum {
    BASE = 0x100000, /* the first address of the memory that there is */
    SIZE = 1 << 16,
    ALOAD_0 = 42,
    BIPUSH = 16,
    RETURN = 177,
    NEWARRAY = 188,
    TABLESWITCH = 170,
    UTF8 = 1,
    METHOD = 40, /* bytes of one */
    CODE_AT = 16,
};

static unsigned char memory[SIZE];
static uint64_t used;

static const struct hs_layout layout = {
    .version = 8,
    .klass_methods = 8,
    .klass_mirror = 16,
    .klass_constants = 24,
    .method_const = 8,
    .method_access = 16,
    .method_counters = 24,
    .method_code = 32,
    .const_code_size = 8,
    .const_size = CODE_AT,
    .nmethod_comp_level = 4,
    .pool_tags = 8,
    .pool_length = 16,
    .pool_size = 24,
    .symbol_length = 0,
    .symbol_body = 2,
};

static int read_memory(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    if (addr < BASE || addr - BASE > SIZE || len > SIZE - (addr - BASE))
        return -EFAULT;
    memcpy(dst, memory + (addr - BASE), len);
    return 0;
}

static const struct mem_ops ops = {.read = read_memory};
static struct mem mem = {.ops = &ops};

static uint64_t room(size_t len)
{
    uint64_t at = BASE + used;
    used += (len + 7) & ~(size_t)7;
    assert_true(used <= SIZE);
    return at;
}

static void put(uint64_t at, const void *bytes, size_t len)
{
    memcpy(memory + (at - BASE), bytes, len);
}

static void put8(uint64_t at, uint64_t n)
{
    put(at, &n, sizeof(n));
}

static void put4(uint64_t at, uint32_t n)
{
    put(at, &n, sizeof(n));
}

static uint64_t make_method(const uint8_t *code, uint16_t len)
{
    uint64_t m = room(METHOD), c = room(CODE_AT + (size_t)len);
    put8(m + 8, c);
    put(c + 8, &len, sizeof(len));
    put(c + CODE_AT, code, len);
    return m;
}

static void is_compiled(uint64_t method, uint32_t level)
{
    uint64_t code = room(16);
    put4(code + 4, level);
    put8(method + 32, code);
}

static uint64_t make_class(const uint64_t *methods, uint32_t count, const char *text)
{
    uint64_t k = room(40), array = room(8 + 8 * (size_t)count), pool = room(40), tags = room(16);
    uint64_t symbol = room(2 + strlen(text));
    uint16_t len = (uint16_t)strlen(text);
    put8(k + 8, array);
    put4(array, count);
    for (uint32_t i = 0; i < count; i++)
        put8(array + 8 + 8 * (uint64_t)i, methods[i]);
    put8(k + 24, pool);
    put8(pool + 8, tags);
    put4(pool + 16, 2); /* constant 1 is the text */
    put(tags + 4 + 1, &(uint8_t){UTF8}, 1);
    put8(pool + 24 + 8, symbol);
    put(symbol, &len, sizeof(len));
    put(symbol + 2, text, len);
    return k;
}

static const uint8_t arrays[] = {NEWARRAY};
static const char *const copies[] = {"clone", "copyOf"};
static const struct class_heat_code makes_arrays = {arrays, 1, copies, 2};

static struct class_heat_result judge(uint64_t klass, const struct class_heat_code *code)
{
    struct mem_view v = {.mem = &mem};
    struct class_heat_result r = {0};
    assert_int_equal(class_heat_read(&v, &layout, klass, code, &r), 0);
    return r;
}

static int begin(void **state)
{
    memset(memory, 0, sizeof(memory));
    used = 0;
    return 0;
}

static const uint8_t nothing[] = {RETURN};
static const uint8_t makes[] = {BIPUSH, 5, NEWARRAY, 10, RETURN};

static void a_class_is_as_hot_as_its_hottest_method(void **state)
{
    uint64_t methods[2] = {make_method(nothing, sizeof(nothing)),
                           make_method(nothing, sizeof(nothing))};
    uint64_t klass = make_class(methods, 2, "text");
    assert_int_equal(judge(klass, NULL).heat, CLASS_HEAT_IDLE);
    assert_int_equal(judge(klass, NULL).meant, 2);
    put8(methods[1] + 24, room(8)); /* has counters */
    assert_int_equal(judge(klass, NULL).heat, CLASS_HEAT_RUN);
    is_compiled(methods[0], 3);
    assert_int_equal(judge(klass, NULL).heat, CLASS_HEAT_COMPILED);
    is_compiled(methods[1], 4);
    assert_int_equal(judge(klass, NULL).heat, CLASS_HEAT_OPTIMIZED);
}

/* The number of an instruction may also be an operand, or stand in the table of a switch. */
static void methods_are_meant_by_their_instructions(void **state)
{
    static const uint8_t pushes[] = {BIPUSH, NEWARRAY, RETURN};
    static const uint8_t switches[] = {TABLESWITCH, 0, 0, 0, 0, 0, 0, NEWARRAY, 0,        0,     0,
                                       0,           0, 0, 0, 0, 0, 0, 0,        NEWARRAY, RETURN};
    static const uint8_t behind[] = {TABLESWITCH, 0, 0, 0, 0, 0, 0, 20, 0,        0,  0,     0,
                                     0,           0, 0, 0, 0, 0, 0, 20, NEWARRAY, 10, RETURN};
    static const uint8_t wild[] = {TABLESWITCH, NEWARRAY}; /* its table is not there */
    uint64_t methods[] = {make_method(pushes, sizeof(pushes)), make_method(makes, sizeof(makes)),
                          make_method(switches, sizeof(switches)),
                          make_method(behind, sizeof(behind)), make_method(wild, sizeof(wild))};
    struct class_heat_result r;
    put8(methods[0] + 24, room(8)); /* runs, and is not meant */
    r = judge(make_class(methods, 5, "text"), &makes_arrays);
    assert_int_equal(r.meant, 3);
    assert_int_equal(r.heat, CLASS_HEAT_IDLE);
    is_compiled(methods[1], 4);
    assert_int_equal(judge(make_class(methods, 5, "text"), &makes_arrays).heat,
                     CLASS_HEAT_OPTIMIZED);
    assert_int_equal(judge(make_class(methods, 5, "clone"), &makes_arrays).meant, 5);
    assert_int_equal(judge(make_class(methods, 1, "cloned"), &makes_arrays).meant, 0);
}

static void what_does_not_read_as_a_class_is_an_error(void **state)
{
    uint64_t method = make_method(makes, sizeof(makes)), klass = make_class(&method, 1, "text");
    struct mem_view v = {.mem = &mem};
    struct class_heat_result r;
    assert_int_equal(class_heat_read(&v, &layout, 8, NULL, &r), -EFAULT);
    assert_int_equal(class_heat_read(&v, &layout, BASE + SIZE - 8, NULL, &r), -EFAULT);
    put8(klass + 8, BASE + SIZE + 8);
    assert_int_equal(class_heat_read(&v, &layout, klass, NULL, &r), -EFAULT);
    put8(klass + 8, klass + 32); /* no length of an array of methods */
    put4(klass + 32, 1 << 20);
    assert_int_equal(class_heat_read(&v, &layout, klass, NULL, &r), -EFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_class_is_as_hot_as_its_hottest_method, begin),
        cmocka_unit_test_setup(methods_are_meant_by_their_instructions, begin),
        cmocka_unit_test_setup(what_does_not_read_as_a_class_is_an_error, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
