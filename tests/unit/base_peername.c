/*
 * base_peername.c - the texts for peers of sockets.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/peername.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>
#include "cmocka_all.h"

static void ipv4_is_written_with_dots(void **state)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(443)};
    struct peername name;
    (void)state;
    assert_int_equal(inet_pton(AF_INET, "10.0.255.7", &a.sin_addr), 1);
    peername_read(&a, sizeof(a), &name);
    assert_string_equal(name.host, "10.0.255.7");
    assert_int_equal(name.port, 443);
    assert_true(name.is_address);
}

static void ipv6_is_written_as_java_writes_it(void **state)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(80)};
    struct peername name;
    (void)state;
    assert_int_equal(inet_pton(AF_INET6, "2001:db8::1f", &a.sin6_addr), 1);
    peername_read(&a, sizeof(a), &name);
    assert_string_equal(name.host, "2001:db8:0:0:0:0:0:1f");
    a.sin6_scope_id = 3;
    peername_read(&a, sizeof(a), &name);
    assert_string_equal(name.host, "2001:db8:0:0:0:0:0:1f%3");
    assert_int_equal(inet_pton(AF_INET6, "::ffff:127.0.0.1", &a.sin6_addr), 1);
    peername_read(&a, sizeof(a), &name);
    assert_string_equal(name.host, "127.0.0.1");
}

static void unix_sockets_are_paths_in_brackets(void **state)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/run/x"};
    struct peername name;
    size_t head = offsetof(struct sockaddr_un, sun_path);
    (void)state;
    peername_read(&a, head + 7, &name);
    assert_string_equal(name.host, "[/run/x]");
    assert_false(name.is_address);
    peername_read(&a, head, &name); /* the other end has no name */
    assert_string_equal(name.host, "[]");
    memcpy(a.sun_path, "\0name", 5);
    peername_read(&a, head + 5, &name);
    assert_string_equal(name.host, "[@name]");
    memset(a.sun_path, 'x', sizeof(a.sun_path));
    peername_read(&a, sizeof(a) + 100, &name);
    assert_int_equal(strlen(name.host), sizeof(a.sun_path) + 2);
}

static void what_is_short_or_unknown_has_no_name(void **state)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6};
    struct peername name;
    (void)state;
    for (size_t bytes = 0; bytes < sizeof(a); bytes++) {
        peername_read(&a, bytes, &name);
        assert_string_equal(name.host, "");
    }
    a.sin6_family = AF_NETLINK;
    peername_read(&a, sizeof(a), &name);
    assert_string_equal(name.host, "");
}

static void a_port_that_the_kernel_has_chosen_is_left_out(void **state)
{
    char text[64];
    (void)state;
    peername_join("db.example", 5432, text, sizeof(text));
    assert_string_equal(text, "db.example:5432");
    peername_join("0:0:0:0:0:0:0:1", 80, text, sizeof(text));
    assert_string_equal(text, "[0:0:0:0:0:0:0:1]:80");
    peername_join("127.0.0.1", PEERNAME_CHOSEN, text, sizeof(text));
    assert_string_equal(text, "127.0.0.1");
    peername_join("[/run/x]", 0, text, sizeof(text));
    assert_string_equal(text, "[/run/x]");
    peername_join("127.0.0.1", 80, text, 5);
    assert_string_equal(text, "127.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipv4_is_written_with_dots),
        cmocka_unit_test(ipv6_is_written_as_java_writes_it),
        cmocka_unit_test(unix_sockets_are_paths_in_brackets),
        cmocka_unit_test(what_is_short_or_unknown_has_no_name),
        cmocka_unit_test(a_port_that_the_kernel_has_chosen_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
