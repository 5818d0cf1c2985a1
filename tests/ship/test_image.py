"""make image: the layout is that of the specification, and the program in it runs.

Source: OCI image-spec 1.0 (image-layout, manifest, config).
SPDX-License-Identifier: Apache-2.0
"""
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile

import pytest

from conftest import ROOT, said

IMAGE_MAX = 12000000


@pytest.fixture(scope="module")
def image(build, tmp_path_factory):
    if not (build / "src/cli/hprof-static").exists():
        pytest.skip("no hprof-static in this build: there is no libc.a or no libz.a here")
    path = tmp_path_factory.mktemp("image") / "hprof.tar"
    said(ROOT / "tools/ship/image", build, path, env={**os.environ, "SHIP_AS_IS": "yes"})
    return path


@pytest.fixture(scope="module")
def blobs(image):
    """name -> bytes of each file of the layout."""
    with tarfile.open(image) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}


def blob(blobs, row):
    """The bytes that a descriptor names; they are what it says."""
    kind, digest = row["digest"].split(":")
    data = blobs["blobs/%s/%s" % (kind, digest)]
    assert kind == "sha256" and hashlib.sha256(data).hexdigest() == digest and len(data) == row["size"]
    return data


def test_the_layout_is_whole(image, blobs):
    assert image.stat().st_size <= IMAGE_MAX
    assert json.loads(blobs["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    index = json.loads(blobs["index.json"])
    assert index["schemaVersion"] == 2 and len(index["manifests"]) == 1
    manifest = json.loads(blob(blobs, index["manifests"][0]))
    assert manifest["schemaVersion"] == 2 and manifest["mediaType"] == index["manifests"][0]["mediaType"] == "application/vnd.oci.image.manifest.v1+json"
    config = json.loads(blob(blobs, manifest["config"]))
    assert manifest["config"]["mediaType"] == "application/vnd.oci.image.config.v1+json"
    layers = [blob(blobs, row) for row in manifest["layers"]]
    assert [row["mediaType"] for row in manifest["layers"]] == ["application/vnd.oci.image.layer.v1.tar+gzip"]
    assert config["rootfs"] == {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(gzip.decompress(layer)).hexdigest() for layer in layers]}
    assert config["os"] == "linux" and config["architecture"] in ("amd64", "arm64") and config["config"]["Entrypoint"] == ["/hprof"]
    # Every blob is named by something.
    assert len([name for name in blobs if name.startswith("blobs/")]) == 3


def unpack(blobs, folder):
    manifest = json.loads(blob(blobs, json.loads(blobs["index.json"])["manifests"][0]))
    with tarfile.open(fileobj=io.BytesIO(blob(blobs, manifest["layers"][0]))) as tar:
        tar.extractall(folder)


def test_the_program_in_the_layer_runs_on_nothing(blobs, tmp_path):
    unpack(blobs, tmp_path)
    if os.getuid() == 0:
        assert said("chroot", tmp_path, "/hprof", "--version").startswith("hprof ")
        assert "hprof-text" in said("chroot", tmp_path, "/hprof", "formats")
    else:
        assert said(tmp_path / "hprof", "--version").startswith("hprof ")
        assert "(NEEDED)" not in said("readelf", "-dW", tmp_path / "hprof")


def test_two_images_of_one_build_are_alike(build, image, tmp_path):
    said(ROOT / "tools/ship/image", build, tmp_path / "again.tar", env={**os.environ, "SHIP_AS_IS": "yes"})
    assert (tmp_path / "again.tar").read_bytes() == image.read_bytes()


def test_skopeo_reads_it(image):
    if not shutil.which("skopeo"):
        pytest.skip("no skopeo here; make test-all installs it")
    row = json.loads(said("skopeo", "inspect", "oci-archive:%s" % image))
    assert row["Os"] == "linux" and row["Labels"]["org.opencontainers.image.title"] == "hprof"


def test_too_large_an_image_would_be_refused(build, tmp_path):
    """The bound is looked at: with a smaller one the tool fails."""
    if not (build / "src/cli/hprof-static").exists():
        pytest.skip("no hprof-static in this build")
    bound = "IMAGE_MAX = %d" % IMAGE_MAX
    text = (ROOT / "tools/ship/image").read_text()
    assert bound in text
    (tmp_path / "image").write_text(text.replace(bound, "IMAGE_MAX = 1000"))
    env = {**os.environ, "SHIP_AS_IS": "yes", "PYTHONPATH": str(ROOT / "tools/ship"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["python3", tmp_path / "image", build, tmp_path / "x.tar"], env=env, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0 and "more than 1000" in done.stderr
