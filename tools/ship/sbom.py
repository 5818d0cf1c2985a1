"""sbom - the bill of materials of an archive, in SPDX 2.3: its files with their sums, and what is linked into them.

Which code of others that is stands in a table of docs/dependencies.md ("Linked in"); the versions are asked of this machine.
SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import json
import re
import subprocess
import time

import shipping

# Who knows the version of a component of the table.
ASKED = {
    "zlib": ["pkg-config", "--modversion", "zlib"],
    "SQLite": ["pkg-config", "--modversion", "sqlite3"],
    "libzstd": ["pkg-config", "--modversion", "libzstd"],
    "json-c": ["pkg-config", "--modversion", "json-c"],
    "libsupc++": ["cc", "-dumpfullversion"],
    "libgcc": ["cc", "-dumpfullversion"],
    "glibc": ["getconf", "GNU_LIBC_VERSION"],
}
LICENCE = "Apache-2.0"


def components():
    """(name, licence, programs) of each row of the table."""
    text = (shipping.ROOT / "docs/dependencies.md").read_text()
    table = re.search(r"(?ms)^## Linked in$.*?^\| --- .*?\n(.*?)(?:\n\n|\Z)", text)
    if not table:
        shipping.fail("docs/dependencies.md has no table below `## Linked in`")
    for line in table.group(1).splitlines():
        name, licence, programs, _ = [cell.strip() for cell in line.strip("|").split("|")]
        yield name, licence.strip("`"), re.findall(r"`([\w.-]+)`", programs)


def link_kind(program, component):
    """zlib, libzstd, SQLite and json-c are shared libraries where the machine that builds has no archive of them."""
    name = {"zlib": "[libz.so", "libzstd": "[libzstd.so", "SQLite": "[libsqlite3.so", "json-c": "[libjson-c.so"}.get(component)
    is_shared = name is not None and name in shipping.run("readelf", "-dW", program)
    return "DYNAMIC_LINK" if is_shared else "STATIC_LINK"


def version_of(name):
    try:
        text = subprocess.run(ASKED[name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
        return text.split()[-1]
    except (KeyError, OSError, subprocess.CalledProcessError, IndexError):
        return None


def identifier(kind, name):
    return "SPDXRef-%s-%s" % (kind, re.sub(r"[^A-Za-z0-9.-]", "-", name))


def file_row(path, name):
    data = path.read_bytes()
    return {
        "SPDXID": identifier("File", name), "fileName": "./" + name,
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                      {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
        "licenseConcluded": LICENCE, "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
    }


def package_row(name, version, licence, **more):
    row = {"SPDXID": identifier("Package", name), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}
    if version:
        row["versionInfo"] = version
    return row


def document(folder, name):
    """The bill of all files below a folder; equal files give an equal bill."""
    files = [file_row(path, str(path.relative_to(folder))) for path in shipping.names_below(folder) if path.is_file() and not path.is_symlink()]
    sums = sorted(row["checksums"][0]["checksumValue"] for row in files)
    code = hashlib.sha1("".join(sums).encode()).hexdigest()
    main = package_row("hprof", shipping.version("--full"), LICENCE, filesAnalyzed=True, packageVerificationCode={"packageVerificationCodeValue": code})
    packages, relations = [main], [("SPDXRef-DOCUMENT", "DESCRIBES", main["SPDXID"])]
    relations += [(main["SPDXID"], "CONTAINS", row["SPDXID"]) for row in files]
    for component, licence, programs in components():
        row = package_row(component, version_of(component), licence)
        users = [each for each in files if each["fileName"].startswith("./bin/") and each["fileName"].rsplit("/", 1)[-1] in programs]
        if users:
            packages.append(row)
            relations += [(user["SPDXID"], link_kind(folder / user["fileName"], component), row["SPDXID"]) for user in users]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": "urn:hprof:%s:%s" % (name, code),
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(shipping.epoch())), "creators": ["Tool: hprof-sbom"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations],
    }


def write(folder, name, path):
    path.write_text(json.dumps(document(folder, name), indent=1) + "\n")
