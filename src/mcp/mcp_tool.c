/*
 * mcp_tool.c - the rows of mcp_tool.h.
 *
 * What a description says is all that an assistant knows of a tool: what it answers, what it costs
 * the JVM, and which tool to call next.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp_tool.h"
#include <string.h>

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define PARAMS(...)                                                                                \
    (const struct mcp_param[])                                                                     \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

#define FILE_PARAM(what)                                                                           \
    {                                                                                              \
        "file", what, MCP_FILE, MCP_STRING, true, NULL, NULL                                       \
    }
#define TARGET_PARAM                                                                               \
    {                                                                                              \
        "target", "Number of the process, or a part of the name of the main class or jar",         \
            MCP_TARGET, MCP_STRING, true, NULL, NULL                                               \
    }
#define OPTION(name, about, option)                                                                \
    {                                                                                              \
        name, about, MCP_OPTION, MCP_STRING, false, option, NULL                                   \
    }
#define NUMBER(name, about, option)                                                                \
    {                                                                                              \
        name, about, MCP_OPTION, MCP_INTEGER, false, option, NULL                                  \
    }
#define SWITCH(name, about, option)                                                                \
    {                                                                                              \
        name, about, MCP_SWITCH, MCP_BOOLEAN, false, option, NULL                                  \
    }
#define TIMES                                                                                      \
    OPTION("from", "Events from then on: seconds since the start (12.5, 2m) or a date", "--from"), \
        OPTION("until", "Events before then, in the same form", "--to")

#define HEAP_QUESTIONS                                                                             \
    "histo suspects top tree show path referrers threads strings arrays collections boxes "        \
    "loaders sites direct"

const struct mcp_tool mcp_tool_all[] = {
    {"list_files", "List files",
     "Lists the files below the root folder that the other tools can read: recordings, heap dumps, "
     "core files, error logs.",
     MCP_READS, false, MCP_LISTS_FILES, NULL, PARAMS({0})},
    {"read_on", "Read on",
     "Returns the next part of an answer that was cut. Every cut answer says its number.",
     MCP_READS, false, MCP_READS_ON, NULL,
     PARAMS({"answer", "The number of the answer", MCP_OWN, MCP_INTEGER, true, NULL, NULL},
            {"offset", "The byte to begin at", MCP_OWN, MCP_INTEGER, true, NULL, NULL})},
    {"profile_report", "Report of a profile",
     "Summarises a profile (JFR, HPROF, pprof, collapsed stacks): the hottest methods and stacks "
     "by CPU, wall clock, allocation, locks and other events, and how far it can be trusted.",
     MCP_READS, false, MCP_NOTHING, WORDS("report"),
     PARAMS(FILE_PARAM("The profile, relative to the root folder"),
            OPTION("event", "Only this kind: cpu, wall, alloc, lock, gc, exception, nativemem ...",
                   "--event"),
            NUMBER("top", "Rows of each table (20)", "--top"),
            NUMBER("traces", "Also so many of the hottest stacks (0)", "--traces"), TIMES,
            OPTION("by", "A key of the contexts, for example user, or a field of the events",
                   "--by"))},
    {"profile_diff", "Compare two profiles",
     "Tells which methods took more or less in the second profile than in the first.", MCP_READS,
     false, MCP_NOTHING, WORDS("diff"),
     PARAMS({"before", "The first profile", MCP_FILE, MCP_STRING, true, NULL, NULL},
            {"after", "The second profile", MCP_FILE, MCP_STRING, true, NULL, NULL},
            OPTION("event", "Only this kind, as of profile_report", "--event"))},
    {"query_schema", "Tables of a file",
     "Lists the tables and functions of SQL that a recording, profile or heap dump has, or the "
     "columns of one table. Call it before query.",
     MCP_READS, false, MCP_NOTHING, WORDS("query", "--schema"),
     PARAMS(FILE_PARAM("The file, relative to the root folder"),
            {"table", "A table whose columns are wanted; without it all tables are listed",
             MCP_OPTION, MCP_STRING, false, "--schema", NULL})},
    {"query", "Ask in SQL",
     "Answers a question in the SQL of SQLite about one or several recordings, profiles and heap "
     "dumps: each type of JFR events is a table (\"jdk.GarbageCollection\"), and there are "
     "samples, stacks, objects, classes and others. Durations are nanoseconds. One JSON object a "
     "row.",
     MCP_READS, false, MCP_NOTHING, WORDS("query", "--format=json"),
     PARAMS({"files", "The files, relative to the root folder", MCP_FILES, MCP_ARRAY, true, NULL,
             NULL},
            {"sql", "One SELECT", MCP_WORD, MCP_STRING, true, NULL, NULL},
            NUMBER("rows", "Rows at most", "--rows"))},
    {"jfr_summary", "What a recording has",
     "Counts the events of a JFR recording by type, with times and versions.", MCP_READS, false,
     MCP_NOTHING, WORDS("jfr", "summary"),
     PARAMS(FILE_PARAM("The recording, relative to the root folder"))},
    {"jfr_events", "Catalogue of JFR events",
     "Describes the event types of the JDK's Flight Recorder and of hprof that fit a name: what "
     "they mean and their fields.",
     MCP_READS, false, MCP_NOTHING, WORDS("jfr", "events"),
     PARAMS({"name", "A name with * and ?, for example jdk.*GC*", MCP_WORD, MCP_STRING, true, NULL,
             NULL},
            NUMBER("jdk", "Those of this JDK", "--jdk"))},
    {"heap", "What a heap holds",
     "Explains a heap dump: without a question a page with the largest holders and leak suspects. "
     "Retained sizes are exact. Contents of strings are not shown. `show`, `path` and `referrers` "
     "need the id of an object.",
     MCP_READS, true, MCP_NOTHING, WORDS("heap", "--json", "--no-index", "--tmp={tmp}"),
     PARAMS(FILE_PARAM("The heap dump, relative to the root folder"),
            {"question", "One of them; without it the page", MCP_WORD, MCP_STRING, false, NULL,
             HEAP_QUESTIONS},
            {"id", "An object's id, as answers show it: 0x7ff01234", MCP_WORD, MCP_STRING, false,
             NULL, NULL},
            NUMBER("top", "Rows of each table (20)", "--top"))},
    {"error_log", "What ended a JVM",
     "Reads the fatal error log of a JVM (hs_err_pid1.log) and says what ended it, with evidence "
     "and what to do.",
     MCP_READS, true, MCP_NOTHING, WORDS("why", "--json"),
     PARAMS(FILE_PARAM("The log, relative to the root folder"))},
    {"core_stacks", "Stacks of a core file",
     "Prints the stacks of all threads of a JVM that left a core file, with the locks they hold.",
     MCP_READS, true, MCP_NOTHING, WORDS("stack", "--json"),
     PARAMS(FILE_PARAM("The core file, relative to the root folder"))},
    {"list_jvms", "List JVMs", "Lists the JVMs of this machine: process, main class, version.",
     MCP_LOOKS, true, MCP_NOTHING, WORDS("ps", "--json"), PARAMS({0})},
    {"metrics", "Metrics of a JVM",
     "Reads memory pools, collections, threads, CPU, safepoints, classes, descriptors and the room "
     "left in the container. The JVM is neither asked nor stopped.",
     MCP_LOOKS, true, MCP_NOTHING, WORDS("metrics", "--json"), PARAMS(TARGET_PARAM)},
    {"stacks_while_running", "Stacks without a stop",
     "Reads the stacks of all threads while the JVM runs. A stack that moved meanwhile may be "
     "torn. The JVM is neither asked nor stopped.",
     MCP_LOOKS, true, MCP_NOTHING, WORDS("stack", "--json", "--no-stop"),
     PARAMS(TARGET_PARAM, SWITCH("java", "Only Java frames", "--java"))},
    {"stacks", "Stacks of a JVM",
     "Reads the stacks of all threads from outside, also of a JVM that hangs. The JVM stands still "
     "for some milliseconds.",
     MCP_STOPS, true, MCP_NOTHING, WORDS("stack", "--json"),
     PARAMS(TARGET_PARAM, SWITCH("java", "Only Java frames", "--java"),
            SWITCH("native", "Also the VM's own threads", "--native"))},
    {"threads", "Thread dump",
     "Asks the JVM for its threads, their states and locks, and finds deadlocks. It answers at a "
     "safepoint.",
     MCP_ATTACHES, true, MCP_NOTHING, WORDS("threads", "--json", "--timeout=30s"),
     PARAMS(TARGET_PARAM, SWITCH("locks", "Also java.util.concurrent locks", "--locks"))},
    {"histogram", "Class histogram",
     "Asks the JVM to count the objects of its heap by class. It stands still while it counts.",
     MCP_ATTACHES, false, MCP_NOTHING, WORDS("histo", "--timeout=60s"),
     PARAMS(TARGET_PARAM, SWITCH("live", "Collect first, and count what is reachable", "--live"),
            NUMBER("top", "So many classes", "--top"))},
    {"record", "Record a profile",
     "Loads hprof's library into the JVM, records for some seconds, and writes a JFR file into the "
     "root folder, which profile_report and query read.",
     MCP_RECORDS, false, MCP_NOTHING, WORDS("record"),
     PARAMS({"output", "Name of the new file, ending in .jfr", MCP_NEW_FILE, MCP_STRING, true,
             "--output", NULL},
            TARGET_PARAM,
            {"duration", "How long: 10s", MCP_OPTION, MCP_STRING, true, "--duration", NULL},
            OPTION("event", "Kinds, with commas: cpu, wall, alloc, lock, nativemem ... (cpu)",
                   "--event"))},
    {"dump_heap", "Dump a heap",
     "Writes the heap of the JVM into a file of the root folder, which heap and query read. A "
     "forked child writes it: the JVM stands still for milliseconds, and a library is loaded into "
     "it. Contents of strings and arrays are left out.",
     MCP_DUMPS, false, MCP_NOTHING, WORDS("dump-heap", "--fork", "--redact"),
     PARAMS(TARGET_PARAM,
            {"output", "Name of the new file, ending in .hprof", MCP_NEW_FILE, MCP_STRING, true,
             NULL, NULL},
            SWITCH("live", "Only reachable objects", "--live"))},
};
const size_t mcp_tool_count = sizeof(mcp_tool_all) / sizeof(mcp_tool_all[0]);

const struct mcp_tool *mcp_tool_named(const char *name)
{
    for (size_t i = 0; i < mcp_tool_count; i++)
        if (strcmp(mcp_tool_all[i].name, name) == 0)
            return &mcp_tool_all[i];
    return NULL;
}

const char *mcp_tool_need_word(enum mcp_need need)
{
    static const char *const words[MCP_NEEDS] = {
        [MCP_STOPS] = "stop",
        [MCP_ATTACHES] = "attach",
        [MCP_RECORDS] = "record",
        [MCP_DUMPS] = "dump",
    };
    return words[need];
}
