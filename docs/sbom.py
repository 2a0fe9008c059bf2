#!/usr/bin/python3
"""sbom.py ARCHIVE VERSION LINKED: what the archive of ./dev dist is made of, as SPDX 2.3 (ISO/IEC 5962) in JSON, on standard
output.  LINKED has a line for each Debian source package whose library is linked in: its name and version.  Says the same of
the same: the time is SOURCE_DATE_EPOCH, and the document's name comes from the archive's digest."""
import datetime
import hashlib
import json
import os
import re
import sys

NAMESPACE = "https://weighlock.example/spdx/"  # a name and no address: docs/publishing.md


def package(spdx_id, name, version, **more):
    return {"SPDXID": spdx_id, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def linked(line):
    name, version = line.split()
    purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch=source"
    return package("SPDXRef-linked-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), name, version, comment="its licence is in the archive, "
                   "in share/doc/weighlock/licenses", externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                                                   "referenceLocator": purl}])


def main():
    archive, version, list_of_linked = sys.argv[1:]
    with open(archive, "rb") as f:
        sha256 = hashlib.file_digest(f, "sha256").hexdigest()
    with open(list_of_linked, encoding="utf-8") as f:
        parts = [linked(line) for line in f]
    name = os.path.basename(archive)
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    own = package("SPDXRef-weighlock", "weighlock", version, packageFileName=name, licenseDeclared="Apache-2.0",
                  primaryPackagePurpose="APPLICATION", checksums=[{"algorithm": "SHA256", "checksumValue": sha256}])
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])] + [(own["SPDXID"], "STATIC_LINK", p["SPDXID"]) for p in parts]
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": NAMESPACE + sha256, "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                                                                   "creators": ["Tool: weighlock-sbom"]},
        "packages": [own, *parts],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }, sys.stdout, indent=1)
    print()


main()
