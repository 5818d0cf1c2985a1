/*
 * What control groups say about a process: frozen or not, and of which container; in version 1,
 * version 2 and a mixture of both, as systems and runtimes lay them out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_group.h"
#include "cmocka_all.h"
#include "testfile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID "0123456789abcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
#define FS "/sys/fs/cgroup"

struct file {
    const char *name, *text;
};

static char top[64];

/* A row: the text of /proc/PID/cgroup, files of the system, and whether the process is frozen. */
static const struct {
    const char *groups;
    struct file files[3];
    bool is_frozen;
} rows[] = {
    {"0::/app\n", {{FS "/app/cgroup.events", "populated 1\nfrozen 0\n"}}, false},
    {"0::/app\n", {{FS "/app/cgroup.events", "populated 1\nfrozen 1\n"}}, true},
    {"0::/app\n", {{FS "/app/cgroup.events", "populated 1\nfrozen 10\n"}}, false},
    {"0::/a/b\n", {{FS "/a/cgroup.events", "frozen 1\n"}, {FS "/a/b/cgroup.events", ""}}, false},
    {"6:freezer:/docker/x\n5:cpu:/docker/x\n",
     {{FS "/freezer/docker/x/freezer.state", "FROZEN\n"}},
     true},
    {"6:freezer:/docker/x\n", {{FS "/freezer/docker/x/freezer.state", "THAWED\n"}}, false},
    {"6:freezer:/docker/x\n", {{FS "/freezer/docker/x/freezer.state", "FREEZING\n"}}, false},
    {"6:freezer:/x\n0::/x\n",
     {{FS "/freezer/x/freezer.state", "THAWED\n"},
      {FS "/unified/x/cgroup.events", "populated 1\nfrozen 1\n"}},
     true},
    {"9:name=systemd:/x\n5:cpu:/x\n", {{FS "/freezer/x/freezer.state", "FROZEN\n"}}, false},
    {"0::/\n", {{NULL, NULL}}, false},
    {"", {{FS "/cgroup.events", "frozen 1\n"}}, false},
    {"0::/no line end", {{FS "/no line end/cgroup.events", "frozen 1"}}, true},
    {"nonsense\n:\n::\n", {{NULL, NULL}}, false},
};

static void each_layout_says_whether_the_process_is_frozen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        snprintf(top, sizeof(top), "/tmp/hprof-group.XXXXXX");
        assert_non_null(mkdtemp(top));
        for (size_t j = 0; j < 3 && rows[i].files[j].name; j++)
            testfile_put(top, rows[i].files[j].name, rows[i].files[j].text);
        bool is_frozen = process_group_is_frozen(rows[i].groups, top);
        testfile_remove_folder(top);
        if (is_frozen != rows[i].is_frozen)
            fail_msg("%s: %d", rows[i].groups, is_frozen);
    }
}

static void the_container_is_in_the_names_of_runtimes(void **state)
{
    (void)state;
    static const struct {
        const char *groups, *id;
    } names[] = {
        {"4:memory:/docker/" ID "\n0::/docker/" ID "\n", "0123456789ab"},
        {"0::/system.slice/docker-" ID ".scope\n", "0123456789ab"},
        {"0::/machine.slice/libpod-" ID ".scope/container\n", "0123456789ab"},
        {"0::/kubepods.slice/kubepods-pod1234_5678.slice/cri-containerd-" ID ".scope\n",
         "0123456789ab"},
        {"0::/../crio-" ID ".scope\n", "0123456789ab"},
        {"0::/user.slice/user-1000.slice/session-1.scope\n", ""},
        {"0::/\n", ""},
        {"", ""},
        {"4:memory:/docker/0" ID "\n", ""}, /* 65 digits are something else */
    };
    char id[PROCESS_CONTAINER_ID + 1];
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        process_group_container(names[i].groups, id);
        if (strcmp(id, names[i].id) != 0)
            fail_msg("%s: %s", names[i].groups, id);
    }
}

static void the_pod_is_in_the_names_of_kubelets(void **state)
{
    (void)state;
    static const struct {
        const char *groups, *uid;
    } names[] = {
        {"0::/kubepods/burstable/pod01234567-89ab-cdef-0123-456789abcdef/" ID "\n",
         "01234567-89ab-cdef-0123-456789abcdef"},
        {"0::/kubepods.slice/kubepods-besteffort.slice/"
         "kubepods-besteffort-pod01234567_89ab_cdef_0123_456789abcdef.slice/cri-containerd-" ID
         ".scope\n",
         "01234567-89ab-cdef-0123-456789abcdef"},
        {"0::/kubepods/pod/pod0123/pod01234567-89ab-cdef-0123-456789abcde\n", ""},
        {"0::/kubepods/pod01234567-89ab-cdef-0123-456789abcdef0\n", ""},
        {"0::/machine.slice/libpod-" ID ".scope\n", ""},
        {"0::/pod", ""},
        {"", ""},
    };
    char uid[PROCESS_POD_UID + 1];
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        process_group_pod(names[i].groups, uid);
        if (strcmp(uid, names[i].uid) != 0)
            fail_msg("%s: %s", names[i].groups, uid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layout_says_whether_the_process_is_frozen),
        cmocka_unit_test(the_container_is_in_the_names_of_runtimes),
        cmocka_unit_test(the_pod_is_in_the_names_of_kubelets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
