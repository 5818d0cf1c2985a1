"""shipping - what the tools share that make archives, packages and images: the release build, staged files, reproducible archives.

Every archive has its files in the order of their names, with the owner root and the time of the commit (tools/version --date), so
that two builds of one commit are alike, bit by bit, whatever folder they were made in.
SPDX-License-Identifier: Apache-2.0
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import shutil
import stat
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINE = platform.machine()


def fail(what):
    sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), what))


def run(*words, **how):
    """Runs a command; what it prints is shown only where it fails."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)
    if done.returncode:
        sys.stdout.flush()
        sys.stderr.buffer.write(done.stdout)
        fail("%s: exit status %d" % (" ".join(map(str, words)), done.returncode))
    return done.stdout.decode(errors="replace")


def version(*options):
    return run(ROOT / "tools/version", *options).strip()


def epoch():
    return int(version("--date"))


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


# ---- the release build and its files

def introspect(build, what):
    return json.loads(run("meson", "introspect", "--" + what, build))


def option(build, name):
    return next(row["value"] for row in introspect(build, "buildoptions") if row["name"] == name)


def prefix_of(build):
    """The prefix for which a build is configured, without its first '/'."""
    return option(build, "prefix").lstrip("/")


def installed_targets(build):
    """What ninja must make for an installation, which is less than half of all."""
    files = [name for target in introspect(build, "targets") if target["installed"] for name in target["filename"]]
    return [os.path.relpath(name, build) for name in files]


def release_build(build, prefix, libdir):
    """Makes a build of its own, whose files name no folder of this machine. Its objects serve every prefix. With
    SHIP_AS_IS=yes in the environment a build that is there is taken as it is, with its own prefix: for tests."""
    build = pathlib.Path(build).resolve()
    if os.environ.get("SHIP_AS_IS") == "yes":
        return build
    options = ["-Dprefix=" + prefix, "-Dlibdir=" + libdir, "-Dpkgconfig.relocatable=" + ("false" if prefix == "/usr" else "true")]
    if (build / "build.ninja").exists():
        run("meson", "configure", build, *options)
    else:
        # Where the build lies inside the tree does not show either.
        maps = ["-ffile-prefix-map=%s=build" % build, "-ffile-prefix-map=%s=." % ROOT]
        run("meson", "setup", build, ROOT, *options, "-Dc_args=%r" % maps)
    run("ninja", "-C", build, *installed_targets(build), env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
    return build


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def build_id(path):
    for line in run("readelf", "-nW", path).splitlines():
        if "Build ID:" in line:
            return line.split()[-1]
    return fail("%s has no build id" % path)


def stage(build, folder, debug=None):
    """Installs a build below `folder`, without symbols for debuggers; these go below `debug`, by build id, as debuggers look for them."""
    folder = pathlib.Path(folder).resolve()
    run("meson", "install", "-C", build, "--no-rebuild", "--destdir", folder, env={**os.environ, "DESTDIR": ""})
    for name in installed_targets(build):
        # Meson writes a jar anew while it installs it, with the time of day.
        for path in folder.rglob(os.path.basename(name)) if name.endswith(".jar") else ():
            shutil.copyfile(pathlib.Path(build, name), path)
    for path in sorted(folder.rglob("*")):
        if not is_elf(path):
            continue
        if debug:
            name = build_id(path)
            symbols = pathlib.Path(debug, "lib/debug/.build-id", name[:2], name[2:] + ".debug")
            symbols.parent.mkdir(parents=True, exist_ok=True)
            run("objcopy", "--only-keep-debug", path, symbols)
            symbols.chmod(0o644)
        run("strip", path)
    return folder


# ---- archives

def names_below(folder):
    """Folders and files, each folder before what it has."""
    return sorted(pathlib.Path(folder).rglob("*"), key=lambda path: path.relative_to(folder).parts)


def mode_of(path):
    executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
    return 0o755 if executable else 0o644


def tar_bytes(folder, front, when):
    """A tar of all below `folder`, whose names begin with `front`."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in names_below(folder):
            entry = tarfile.TarInfo(front + str(path.relative_to(folder)))
            entry.mtime, entry.uname, entry.gname = when, "root", "root"
            if path.is_symlink():
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
                tar.addfile(entry)
            elif path.is_dir():
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
            else:
                content = path.read_bytes()
                entry.size, entry.mode = len(content), mode_of(path)
                tar.addfile(entry, io.BytesIO(content))
    return data.getvalue()


def packed(data):
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(data)
    return out.getvalue()


def write_sums(folder, paths, name="SHA256SUMS"):
    """A file that `sha256sum -c` takes, of files below `folder`."""
    lines = ["%s  %s\n" % (sha256(path), path.relative_to(folder)) for path in paths if path.is_file() and not path.is_symlink() and path.name != name]
    pathlib.Path(folder, name).write_text("".join(lines))


def sign(paths):
    """The hook for signatures: $SIGN is a command line, which gets the name of each file behind it, and writes the signature beside
    the file."""
    command = os.environ.get("SIGN")
    for path in paths if command else ():
        subprocess.run(["sh", "-c", command + ' "$1"', "sign", str(path)], check=True)


def without(folder, *patterns):
    """A folder in which others may have files, without those of an earlier run: what fits the patterns."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in [path for pattern in patterns for path in folder.glob(pattern)]:
        path.unlink()
    return folder


def fresh(folder):
    folder = pathlib.Path(folder)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder
