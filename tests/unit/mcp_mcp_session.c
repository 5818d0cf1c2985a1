/*
 * Messages of the Model Context Protocol: what each means, which command line a call becomes, and
 * what an answer shows. SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp_session.h"
#include "cmocka_all.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "mcp/mcp_answer.h"
#include "mcp/mcp_line.h"

static struct mcp_session session;
static struct mcp_taken taken;

static const char *take(const char *line)
{
    mcp_session_taken_done(&taken);
    mcp_session_take(&session, line, strlen(line), &taken);
    return taken.reply ? mcp_json_write(taken.reply) : "";
}

static int begin(void **state)
{
    (void)state;
    session = (struct mcp_session){.allowed = 1u << MCP_READS | 1u << MCP_LOOKS};
    take("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}");
    return 0;
}

static int end(void **state)
{
    (void)state;
    mcp_session_taken_done(&taken);
    return 0;
}

static void test_the_client_s_version_is_spoken_if_it_is_known(void **state)
{
    (void)state;
    session.is_begun = false;
    static const char ask[] = "{\"id\":\"a\",\"method\":\"initialize\",\"params\":{"
                              "\"protocolVersion\":\"%s\"}}";
    static const char *const rows[][2] = {{"2024-11-05", "2024-11-05"},
                                          {"2025-03-26", "2025-03-26"},
                                          {"2025-06-18", "2025-06-18"},
                                          {"1999-01-01", "2025-06-18"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char line[256], wanted[64];
        snprintf(line, sizeof(line), ask, rows[i][0]);
        snprintf(wanted, sizeof(wanted), "\"protocolVersion\":\"%s\"", rows[i][1]);
        assert_non_null(strstr(take(line), wanted));
        assert_non_null(strstr(take(line), "\"id\":\"a\""));
        assert_true(session.is_begun);
    }
}

static void test_what_is_no_request_is_refused_with_its_code(void **state)
{
    (void)state;
    static const struct {
        const char *line, *code;
    } rows[] = {
        {"nonsense", "-32700"},
        {"", "-32700"},
        {"{\"id\":1} {\"id\":2}", "-32700"},
        {"{\"id\":1,\"method\":\"ping\"", "-32700"},
        {"[]", "-32600"},
        {"\"x\"", "-32600"},
        {"{\"id\":null,\"method\":\"ping\"}", "-32600"},
        {"{\"id\":{},\"method\":\"ping\"}", "-32600"},
        {"{\"id\":1}", "-32600"},
        {"{\"id\":1,\"method\":\"resources/list\"}", "-32601"},
        {"{\"id\":1,\"method\":\"tools/call\"}", "-32602"},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}", "-32602"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_non_null(strstr(take(rows[i].line), rows[i].code));
    assert_string_equal(take("{\"id\":1,\"result\":{}}"), "");
    assert_string_equal(take("{\"method\":\"notifications/initialized\"}"), "");
}

static void test_nothing_but_ping_is_answered_before_the_beginning(void **state)
{
    (void)state;
    session.is_begun = false;
    assert_non_null(strstr(take("{\"id\":1,\"method\":\"tools/list\"}"), "initialize comes first"));
    assert_non_null(strstr(take("{\"id\":1,\"method\":\"ping\"}"), "\"result\":{}"));
    session.is_begun = true;
}

static void test_only_what_is_allowed_is_listed_and_called(void **state)
{
    (void)state;
    static const char call[] = "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                               "\"arguments\":{\"target\":\"x\"}}}";
    for (size_t i = 0; i < mcp_tool_count; i++) {
        char line[256], row[128];
        const struct mcp_tool *tool = &mcp_tool_all[i];
        const char *word = mcp_tool_need_word(tool->need);
        snprintf(line, sizeof(line), call, tool->name);
        snprintf(row, sizeof(row), "{\"name\":\"%s\"", tool->name);
        assert_int_equal(strstr(take("{\"id\":1,\"method\":\"tools/list\"}"), row) != NULL, !word);
        take(line);
        assert_int_equal(taken.what, word ? MCP_TAKE_REPLY : MCP_TAKE_CALL);
        session.allowed |= 1u << tool->need;
        take(line);
        assert_int_equal(taken.what, MCP_TAKE_CALL);
        assert_ptr_equal(taken.tool, tool);
        session.allowed = 1u << MCP_READS | 1u << MCP_LOOKS;
    }
}

static void test_a_call_can_be_cancelled_by_its_id(void **state)
{
    (void)state;
    take("{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}");
    assert_int_equal(taken.what, MCP_TAKE_CANCEL);
    assert_int_equal(json_object_get_int64(taken.id), 7);
    take("{\"method\":\"notifications/cancelled\",\"params\":{}}");
    assert_int_equal(taken.what, MCP_TAKE_NOTHING);
}

/* ---- command lines */

static int find(const char *word, const char *const *targets, long *ret_pid, char why[MCP_LINE_WHY])
{
    assert_null(targets);
    *ret_pid = 4711;
    if (strcmp(word, "Main") == 0)
        return 0;
    snprintf(why, MCP_LINE_WHY, "no such JVM");
    return -1;
}

static struct mcp_reach reach = {.tmp = "spool", .find = find};

/* The words of the line with blanks between them, or what is wrong; /proc/self/fd/N is FD. */
static void check(const char *tool, const char *arguments, const char *wanted)
{
    struct mcp_line line;
    struct json_object *value = NULL;
    char text[1024] = "";
    size_t len = 0;
    assert_true(mcp_json_read(arguments, strlen(arguments), &value));
    int error = mcp_line_make(&line, mcp_tool_named(tool), value, &reach);
    for (size_t i = 0; error == 0 && i < line.count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i > 0 ? " " : "",
                                strncmp(line.words[i], "/proc/self/fd/", 14) == 0 ? "FD"
                                                                                  : line.words[i]);
    if (error < 0)
        snprintf(text, sizeof(text), "%s", line.why);
    assert_string_equal(text, wanted);
    mcp_line_done(&line);
    json_object_put(value);
}

static void test_arguments_become_options_and_words_and_never_others(void **state)
{
    (void)state;
    static const struct {
        const char *tool, *arguments, *wanted;
    } rows[] = {
        {"profile_report", "{\"file\":\"self/stat\",\"top\":5,\"event\":\"cpu\"}",
         "hprof report --event=cpu --top=5 -- FD"},
        {"profile_report", "{\"file\":\"self/stat\",\"event\":\"-o /etc/x\"}",
         "hprof report --event=-o /etc/x -- FD"},
        {"query", "{\"files\":[\"self/stat\",\"self/maps\"],\"sql\":\"--output=x\"}",
         "hprof query --format=json -- FD FD --output=x"},
        {"heap", "{\"file\":\"self/stat\",\"question\":\"top\"}",
         "hprof heap --json --no-index --tmp=spool -- FD top"},
        {"heap", "{\"file\":\"self/stat\",\"question\":\"to\"}",
         "question: 'to' is none of: histo suspects top tree show path referrers threads strings "
         "arrays collections boxes loaders sites direct"},
        {"stacks", "{\"target\":\"Main\",\"java\":true,\"native\":false}",
         "hprof stack --json --java -- 4711"},
        {"stacks", "{\"target\":\"Other\"}", "no such JVM"},
        {"stacks", "{\"target\":\"Main\",\"java\":\"yes\"}", "java: true or false is wanted"},
        {"stacks", "{\"target\":7}", "target: a string is wanted"},
        {"stacks", "{}",
         "target is missing: Number of the process, or a part of the name of the main class or "
         "jar"},
        {"stacks", "{\"target\":null}",
         "target is missing: Number of the process, or a part of the name of the main class or "
         "jar"},
        {"stacks", "{\"target\":\"Main\",\"x\\ny\":1}", "stacks has no parameter 'x?y'"},
        {"stacks", "[]", "the arguments are no object"},
        {"profile_report", "{\"file\":\"self/stat\",\"top\":\"5\"}", "top: an integer is wanted"},
        {"profile_report", "{\"file\":\"self/sta\\u0000t\"}",
         "file: the text is too long, or has a character with the number 0"},
        {"profile_report", "{\"file\":\"self\"}",
         "self: not a regular file; list_files tells which files there are"},
        {"query", "{\"files\":[],\"sql\":\"x\"}", "files: an array of strings is wanted"},
        {"record",
         "{\"target\":\"Main\",\"duration\":\"5s\",\"output\":\"new.jfr\",\"event\":\"cpu\"}",
         "hprof record --output=new.jfr --duration=5s --event=cpu -- 4711"},
        {"record", "{\"target\":\"Main\",\"duration\":\"5s\",\"output\":\"../new.jfr\"}",
         "../new.jfr: a new file has a name of letters, digits, dots, dashes and underscores, "
         "without a folder"},
        {"record", "{\"target\":\"Main\",\"duration\":\"5s\",\"output\":\"uptime\"}",
         "uptime is there already, and nothing is overwritten: choose another name"},
        {"dump_heap", "{\"target\":\"Main\",\"output\":\"h.hprof\",\"live\":true}",
         "hprof dump-heap --fork --redact --live -- 4711 h.hprof"},
    };
    reach.root = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(reach.root >= 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(rows[i].tool, rows[i].arguments, rows[i].wanted);
    close(reach.root);
}

/* Each row of a tool can be said as a command line with all that it requires. */
static void test_rows_have_what_their_parameters_need(void **state)
{
    (void)state;
    for (size_t i = 0; i < mcp_tool_count; i++) {
        const struct mcp_tool *tool = &mcp_tool_all[i];
        assert_int_equal(!tool->words, tool->own != MCP_NOTHING);
        assert_ptr_equal(mcp_tool_named(tool->name), tool);
        for (const struct mcp_param *p = tool->params; p->name; p++) {
            if (p->as == MCP_OPTION || p->as == MCP_SWITCH)
                assert_non_null(p->option);
            assert_int_equal(p->type == MCP_ARRAY, p->as == MCP_FILES);
            assert_int_equal(p->type == MCP_BOOLEAN, p->as == MCP_SWITCH);
        }
    }
}

/* ---- answers */

static void test_secret_values_are_replaced_and_counted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
        unsigned count;
    } rows[] = {
        {"-Dmy.password=abc -Xmx1g\n", "-Dmy.password=[REDACTED] -Xmx1g\n", 1},
        {"token=\"x\"", "token=\"x\"", 0}, /* there is no value before the quote */
        {"API_TOKEN=a,b=c", "API_TOKEN=[REDACTED],b=c", 1},
        {"com.acme.Password.check()", "com.acme.Password.check()", 0},
        {"a=b", "a=b", 0},
        {"password= x", "password= x", 0},
        {"", "", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct textbuf t = {0};
        unsigned count = 0;
        textbuf_text(&t, rows[i].text);
        mcp_answer_redact(&t, &count);
        textbuf_char(&t, '\0');
        assert_string_equal(t.bytes, rows[i].wanted);
        assert_int_equal(count, rows[i].count);
        textbuf_done(&t);
    }
}

static struct json_object *data_of(struct json_object *result)
{
    return mcp_json_get(mcp_json_get(result, "structuredContent"), "data");
}

static void test_json_is_made_plain_and_without_secrets(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\":\"x\\u001b[31m\",\"password\":\"p\",\"vm_arguments\":\"-Dx.secret=1 -Xint\","
        "\"list\":[{\"key\":\"AWS_TOKEN\",\"value\":\"t\"},{\"key\":\"HOME\",\"value\":\"h\"}],"
        "\"n\":null,\"i\":1}";
    struct mcp_answers answers = {.bound = 4096};
    struct mcp_child child = {.out = -1, .said = -1, .bytes = sizeof(text) - 1};
    struct mcp_line line = {.count = 0};
    textbuf_text(&child.text, text);
    struct json_object *result =
        mcp_answer_of_child(&answers, mcp_tool_named("list_jvms"), &child, &line);
    assert_string_equal(mcp_json_write(data_of(result)),
                        "{\"a\":\"x?[31m\",\"password\":\"[REDACTED]\",\"vm_arguments\":\""
                        "[REDACTED] -Xint\",\"list\":[{\"key\":\"AWS_TOKEN\",\"value\":"
                        "\"[REDACTED]\"},{\"key\":\"HOME\",\"value\":\"h\"}],\"n\":null,\"i\":1}");
    assert_int_equal(
        json_object_get_int64(mcp_json_get(mcp_json_get(result, "structuredContent"), "redacted")),
        3);
    json_object_put(result);
    mcp_child_done(&child);
    mcp_answer_done(&answers);
}

static const char *text_of(struct json_object *result)
{
    return mcp_json_text(json_object_array_get_idx(mcp_json_get(result, "content"), 0), "text");
}

static void test_a_long_answer_is_cut_between_characters_and_read_on(void **state)
{
    (void)state;
    struct mcp_answers answers = {.bound = 5};
    struct textbuf text = {0};
    textbuf_text(&text, "abcd\xc3\xa4 ef\x1bgh");
    struct json_object *result = mcp_answer_of_text(&answers, &text);
    assert_non_null(
        strstr(text_of(result), "]\nabcd\n[Cut here. read_on with answer 1 and offset 4"));
    json_object_put(result);
    result = mcp_answer_rest(&answers, 1, 4);
    assert_non_null(strstr(text_of(result), "]\n\xc3\xa4 ef\n[Cut here"));
    json_object_put(result);
    result = mcp_answer_rest(&answers, 1, 9);
    assert_non_null(strstr(text_of(result), "]\n?gh"));
    assert_null(strstr(text_of(result), "Cut here"));
    json_object_put(result);
    static const int64_t wrong[][2] = {{1, 12}, {1, -1}, {2, 0}, {0, 0}, {-1, 0}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        result = mcp_answer_rest(&answers, wrong[i][0], wrong[i][1]);
        assert_true(json_object_get_boolean(mcp_json_get(result, "isError")));
        json_object_put(result);
    }
    mcp_answer_done(&answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_client_s_version_is_spoken_if_it_is_known),
        cmocka_unit_test(test_what_is_no_request_is_refused_with_its_code),
        cmocka_unit_test(test_nothing_but_ping_is_answered_before_the_beginning),
        cmocka_unit_test(test_only_what_is_allowed_is_listed_and_called),
        cmocka_unit_test(test_a_call_can_be_cancelled_by_its_id),
        cmocka_unit_test(test_arguments_become_options_and_words_and_never_others),
        cmocka_unit_test(test_rows_have_what_their_parameters_need),
        cmocka_unit_test(test_secret_values_are_replaced_and_counted),
        cmocka_unit_test(test_json_is_made_plain_and_without_secrets),
        cmocka_unit_test(test_a_long_answer_is_cut_between_characters_and_read_on),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
