"""make maven: the repository, the pom and the jars.

SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import os
import pathlib
import re
import shutil
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest

from conftest import ROOT, said

POM = "{http://maven.apache.org/POM/4.0.0}"
PROGRAM = """
module user { requires hprof; }
"""
USER = """
package user;
public class User {
    public static void main(String[] words) {
        System.out.println(hprof.Hprof.class.getModule().getName());
    }
}
"""


@pytest.fixture(scope="module")
def jdk():
    include = pathlib.Path(said(ROOT / "tools/find-jdk-include").strip())
    if not (include.parent / "bin/javadoc").exists():
        pytest.skip("no javadoc beside jni.h; tools/bootstrap test installs a JDK")
    return include.parent


@pytest.fixture(scope="module")
def repository(build, jdk, tmp_path_factory):
    if not (build / "src/jar/hprof.jar").exists():
        pytest.skip("no hprof.jar in this build")
    folder = tmp_path_factory.mktemp("maven")
    said(ROOT / "tools/ship/maven", build, folder, env={**os.environ, "SHIP_AS_IS": "yes"})
    return folder


@pytest.fixture(scope="module")
def version():
    return said(ROOT / "tools/version", "--full").strip()


@pytest.fixture(scope="module")
def files(repository, version):
    return {path.name.replace("hprof-" + version, ""): path for path in (repository / "hprof/hprof" / version).iterdir()}


def test_the_files_are_those_of_a_repository(repository, files, version):
    parts = [".jar", "-sources.jar", "-javadoc.jar", ".pom"]
    assert sorted(files) == sorted(part + end for part in parts for end in ("", ".sha1", ".md5"))
    for part in parts:
        assert files[part + ".sha1"].read_text() == hashlib.sha1(files[part].read_bytes()).hexdigest()
    metadata = ElementTree.parse(repository / "hprof/hprof/maven-metadata.xml")
    assert [each.text for each in metadata.iter("version")] == [version]


def test_the_pom_names_what_it_is(files, version):
    root = ElementTree.parse(files[".pom"]).getroot()
    assert [root.findtext(POM + name) for name in ("groupId", "artifactId", "version", "packaging")] == ["hprof", "hprof", version, "jar"]
    assert root.findtext("%slicenses/%slicense/%sname" % (POM, POM, POM)) == "Apache-2.0"


def test_the_jar_has_a_module_and_programs_for_each_cpu(files, build):
    with zipfile.ZipFile(files[".jar"]) as jar:
        names = jar.namelist()
        assert names[0] == "META-INF/MANIFEST.MF" and "META-INF/versions/9/module-info.class" in names and names[1:] == sorted(names[1:])
        assert "Multi-Release: true" in jar.read("META-INF/MANIFEST.MF").decode()
        assert jar.read("hprof/Hprof.class")[6:8] == b"\x00\x34"    # JDK 8
        cpus = {name.split("/")[2] for name in names if name.startswith("hprof/native/")}
        assert cpus and all({"hprof/native/%s/hprof" % cpu, "hprof/native/%s/libhprof.so" % cpu} <= set(names) for cpu in cpus)
    with zipfile.ZipFile(files["-sources.jar"]) as jar:
        assert {"hprof/Hprof.java", "module-info.java"} <= set(jar.namelist())
    with zipfile.ZipFile(files["-javadoc.jar"]) as jar:
        assert "hprof/Hprof.html" in jar.namelist()


def test_a_module_uses_it(jdk, files, tmp_path):
    number = int(re.search(r'JAVA_VERSION="(\d+)', (jdk / "release").read_text()).group(1))
    if number < 9:
        pytest.skip("JDK %d has no modules" % number)
    (tmp_path / "user").mkdir()
    (tmp_path / "module-info.java").write_text(PROGRAM)
    (tmp_path / "user/User.java").write_text(USER)
    said(jdk / "bin/javac", "-p", files[".jar"], "-d", tmp_path / "out", tmp_path / "module-info.java", tmp_path / "user/User.java")
    assert said(jdk / "bin/java", "-p", "%s:%s" % (files[".jar"], tmp_path / "out"), "-m", "user/user.User") == "hprof\n"
    assert "exports hprof" in said(jdk / "bin/java", "-p", files[".jar"], "--describe-module", "hprof")


@pytest.mark.slow
def test_two_of_one_build_are_alike(build, repository, jdk, tmp_path):
    said(ROOT / "tools/ship/maven", build, tmp_path, env={**os.environ, "SHIP_AS_IS": "yes"})
    for path in repository.rglob("*"):
        if path.is_file():
            assert (tmp_path / path.relative_to(repository)).read_bytes() == path.read_bytes(), path


@pytest.mark.slow
def test_maven_takes_the_jar_from_the_folder(repository, version, tmp_path):
    if not shutil.which("mvn"):
        pytest.skip("no mvn here; tools/bootstrap test installs it")
    said("mvn", "-q", "-B", "-Dmaven.repo.local=%s" % (tmp_path / "local"), "dependency:get", "-Dartifact=hprof:hprof:%s" % version,
         "-DremoteRepositories=file://%s" % repository, timeout=600)
    assert (tmp_path / "local/hprof/hprof" / version / ("hprof-%s.jar" % version)).exists()


@pytest.mark.slow
def test_a_project_profiles_its_test(jdk, repository, tmp_path):
    """examples/maven, which has its own assertions about the profile."""
    if not shutil.which("mvn"):
        pytest.skip("no mvn here; tools/bootstrap test installs it")
    shutil.copytree(ROOT / "examples/maven", tmp_path / "project", ignore=shutil.ignore_patterns("target"))
    text = said("mvn", "-B", "-f", tmp_path / "project", "-Dmaven.repo.local=%s" % (tmp_path / "local"), "-Dhprof.repository=file://%s" % repository, "test",
                timeout=600, env={**os.environ, "JAVA_HOME": str(jdk)})
    assert re.search(r"Tests run: 2, Failures: 0, Errors: 0, Skipped: 0", text), text
    assert (tmp_path / "project/target/words.jfr").stat().st_size > 0
