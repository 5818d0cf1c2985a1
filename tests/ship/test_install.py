"""make install and make uninstall: which files, where, and that nothing stays.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import ROOT, said

MAN = sorted(path.name for path in (ROOT / "docs/man").glob("*.[137]"))


def options(build):
    return {row["name"]: row["value"] for row in json.loads(said("meson", "introspect", "--buildoptions", build))}


def below(folder):
    """All that is below a folder; folders end in a slash."""
    return sorted(str(path.relative_to(folder)) + ("/" if path.is_dir() and not path.is_symlink() else "") for path in pathlib.Path(folder).rglob("*"))


def install(build, folder, **more):
    return said(ROOT / "tools/ship/install", build, options(build)["prefix"], folder, env={**os.environ, **more})


@pytest.fixture(scope="module")
def installed(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    install(build, folder)
    return folder


def expected_files(build):
    """Every file, below the prefix."""
    how = options(build)
    lib = how["libdir"]
    targets = {os.path.basename(name) for target in json.loads(said("meson", "introspect", "--targets", build)) for name in target["filename"]}
    zsh = "vendor-completions" if how["prefix"] == "/usr" and os.path.exists("/etc/debian_version") else "site-functions"
    files = ["bin/hprof", "include/jvmpi.h", "share/hprof/installed", "share/zsh/%s/_hprof" % zsh, "share/fish/vendor_completions.d/hprof.fish"]
    files += ["share/bash-completion/completions/" + name for name in ("hprof", "hprof-static")]
    files += ["%s/%s" % (lib, name) for name in ("libhprof.so", "libjvmpi.so", "libasgct.so", "libasgst.so", "libasgst.so.1", "libhprofjfr.so", "libhprofjfr.so.1",
                                               "pkgconfig/asgst.pc", "pkgconfig/hprofjfr.pc", "pkgconfig/jvmpi.pc")]
    files += ["include/hprof/" + name for name in ("asgct.h", "asgst.h", "asgst_classic.h", "asgst_ready.h", "hprof_jfr.h", "profile.h", "profile2.h")]
    files += ["share/man/man%s/%s" % (name[-1], name) for name in MAN]
    files += ["share/hprof/watch/" + name for name in ("Containerfile", "daemonset.yaml", "watch.conf")] + ["lib/systemd/system/hprof-watch.service"]
    files += ["bin/hprof-static"] * ("hprof-static" in targets) + ["share/java/hprof.jar"] * ("hprof.jar" in targets)
    return sorted(files)


def test_every_installed_file_is_known(build, installed):
    top = installed / options(build)["prefix"].lstrip("/")
    assert [name for name in below(top) if not name.endswith("/")] == expected_files(build)


def test_the_list_names_all_files_and_folders(build, installed):
    listed = (installed / options(build)["prefix"].lstrip("/") / "share/hprof/installed").read_text().splitlines()
    assert sorted(line.lstrip("/") for line in listed) == below(installed)


def test_nothing_is_left_after_uninstall(build, tmp_path):
    install(build, tmp_path)
    assert below(tmp_path)
    said(ROOT / "tools/ship/install", "--uninstall", options(build)["prefix"], tmp_path)
    assert below(tmp_path) == []


def test_what_others_put_there_stays_and_what_an_older_version_had_goes(build, tmp_path):
    prefix = options(build)["prefix"]
    top = tmp_path / prefix.lstrip("/")
    (top / "bin").mkdir(parents=True)
    (top / "bin/other").write_text("")
    install(build, tmp_path)
    (top / "share/man/man1/other.1").write_text("")
    (top / "share/hprof/gone").write_text("")
    listed = top / "share/hprof/installed"
    listed.write_text("%s/share/hprof/gone\n%s" % (prefix, listed.read_text()))
    install(build, tmp_path)
    assert not (top / "share/hprof/gone").exists()
    said(ROOT / "tools/ship/install", "--uninstall", prefix, tmp_path)
    assert [name for name in below(top) if not name.endswith("/")] == ["bin/other", "share/man/man1/other.1"]
    assert "share/hprof/" not in below(top) and "include/" not in below(top)
    done = subprocess.run([ROOT / "tools/ship/install", "--uninstall", prefix, tmp_path], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "nothing is installed in " in done.stderr


def test_installed_programs_run_and_are_stripped(build, installed):
    how = options(build)
    top = installed / how["prefix"].lstrip("/")
    assert re.match(r"hprof [\d.]+ \(commit ([0-9a-f]{12}\+?|unknown), build id [0-9a-f]{40}\)\n$", said(top / "bin/hprof", "--version"))
    for path in [top / "bin/hprof", *(top / how["libdir"]).glob("*.so*")]:
        assert ".debug_info" not in said("readelf", "-SW", path), path
    assert (top / how["libdir"] / "libhprof.so").stat().st_size <= 1500000
    assert "Build ID: %s" % re.search(r"build id (\w+)", said(top / "bin/hprof", "--version")).group(1) in said("readelf", "-nW", top / "bin/hprof")


def test_the_installed_jar_is_the_one_that_was_built(build, installed):
    """Meson writes a jar anew while it installs it."""
    if not (build / "src/jar/hprof.jar").exists():
        pytest.skip("no hprof.jar in this build")
    assert (installed / options(build)["prefix"].lstrip("/") / "share/java/hprof.jar").read_bytes() == (build / "src/jar/hprof.jar").read_bytes()


def pkg_config(folder, build, *words):
    how = options(build)
    env = {**os.environ, "PKG_CONFIG_LIBDIR": str(folder / how["prefix"].lstrip("/") / how["libdir"] / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(folder)}
    return said("pkg-config", *words, env=env).split()


def test_programs_are_built_by_the_pkg_config_files(build, installed, tmp_path):
    jni = pathlib.Path(said(ROOT / "tools/find-jdk-include").strip())
    (tmp_path / "a.c").write_text("#include <asgst.h>\nint main(void) { return ASGST_Capabilities() < 0; }\n")
    (tmp_path / "j.c").write_text("#include <jvmpi.h>\nint main(void) { return JVMPI_SUCCESS; }\n")
    for name, package in (("a", "asgst"), ("j", "jvmpi")):
        said("cc", "-I%s" % jni, "-I%s/linux" % jni, "-o", tmp_path / name, tmp_path / (name + ".c"), *pkg_config(installed, build, "--cflags", "--libs", package))
    library = pkg_config(installed, build, "--variable=agent", "jvmpi")[0]
    assert pathlib.Path(library).name == "libjvmpi.so" and os.path.exists(library if library.startswith(str(installed)) else str(installed) + library)


SYSTEMS = {
    "fedora": (["usr/lib64/", "etc/ld.so.conf.d/", "etc/fedora-release", "etc/ld.so.conf=include ld.so.conf.d/*.conf\n"], "lib64"),
    "alpine": (["lib/ld-musl-x86_64.so.1", "etc/alpine-release"], "lib"),
    "arch": (["usr/lib/", "usr/lib64->lib", "etc/ld.so.conf=include /etc/ld.so.conf.d/*.conf\n"], "lib"),
}


def make_system(folder, parts):
    for part in parts:
        name, _, text = part.partition("=")
        path = folder / name.split("->")[0].rstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if "->" in part:
            path.symlink_to(part.split("->")[1])
        elif part.endswith("/"):
            path.mkdir()
        else:
            path.write_text(text)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_folder_of_libraries_is_that_of_the_system(system, tmp_path):
    parts, libdir = SYSTEMS[system]
    make_system(tmp_path, parts)
    assert said(ROOT / "tools/libdir", tmp_path).strip() == libdir


def test_on_debian_the_folder_of_libraries_is_that_of_the_architecture(tmp_path):
    make_system(tmp_path, ["etc/debian_version"])
    (tmp_path / "cc").write_text("#!/bin/sh\necho mips64el-linux-gnuabi64\n")
    (tmp_path / "cc").chmod(0o755)
    assert said(ROOT / "tools/libdir", tmp_path, env={**os.environ, "CC": str(tmp_path / "cc")}).strip() == "lib/mips64el-linux-gnuabi64"


def test_where_the_linker_does_not_look_it_is_told_of_the_folder(build, tmp_path):
    """As on Fedora, whose linker does not look in /usr/local."""
    how = options(build)
    if how["prefix"] != "/usr/local":
        pytest.skip("the build is for %s" % how["prefix"])
    make_system(tmp_path, SYSTEMS["fedora"][0])
    before = below(tmp_path)
    install(build, tmp_path, SYSTEM=str(tmp_path))
    conf = tmp_path / "etc/ld.so.conf.d/hprof.conf"
    assert conf.read_text() == "/usr/local/%s\n" % how["libdir"]
    said(ROOT / "tools/ship/install", "--uninstall", how["prefix"], tmp_path)
    assert below(tmp_path) == before
    # A system that looks there needs no file.
    (tmp_path / "etc/ld.so.conf.d/local.conf").write_text("# of the administrator\n/usr/local/%s/\n" % how["libdir"])
    install(build, tmp_path, SYSTEM=str(tmp_path))
    assert not conf.exists()
