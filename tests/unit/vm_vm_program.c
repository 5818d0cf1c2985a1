/*
 * vm_vm_program.c - whose JVM is a build tool's, by what its launcher noted.
 *
 * The commands are those that `jps -lm` shows of Maven 3.8, Gradle 4.4 and 8.5, and what they
 * start. SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_program.h"
#include <stdio.h>
#include <string.h>
#include "cmocka_all.h"

static const char *tool(const char *command)
{
    const char *found = vm_program_tool_of(command, strcspn(command, " "));
    return found ? found : "none";
}

static void launchers_and_daemons_of_build_tools_are_theirs(void **state)
{
    (void)state;
    assert_string_equal(tool("org.codehaus.plexus.classworlds.launcher.Launcher spring-boot:run"),
                        "Maven");
    assert_string_equal(tool("/p/gradle/wrapper/gradle-wrapper.jar run"), "Gradle");
    assert_string_equal(tool("/usr/share/gradle/lib/gradle-launcher-4.4.1.jar run"), "Gradle");
    assert_string_equal(tool("org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5"), "Gradle");
    assert_string_equal(tool("org.apache.tools.ant.launch.Launcher"), "Ant");
}

static void what_they_start_is_not(void **state)
{
    (void)state;
    assert_string_equal(tool("org.example.Main org.gradle.launcher.GradleMain"), "none");
    assert_string_equal(tool("/p/target/surefire/surefirebooter123.jar /p/target/surefire x"),
                        "none");
    assert_string_equal(tool("/p/app/build/libs/app.jar"), "none");
    assert_string_equal(tool(""), "none");
}

/* One class runs tests, and compiles: the first argument is the worker's name. */
static void a_worker_of_gradle_is_known_by_its_name(void **state)
{
    static const char worker[] = "worker.org.gradle.process.internal.worker.GradleWorkerMain";
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "%s 'Gradle Test Executor 1'", worker);
    assert_string_equal(tool(command), "none");
    snprintf(command, sizeof(command), "%s 'Gradle Worker Daemon 1'", worker);
    assert_string_equal(tool(command), "Gradle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launchers_and_daemons_of_build_tools_are_theirs),
        cmocka_unit_test(what_they_start_is_not),
        cmocka_unit_test(a_worker_of_gradle_is_known_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
