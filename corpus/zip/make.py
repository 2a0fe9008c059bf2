#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small ZIP archives that each break one rule, and near misses
that break none.  Always the same bytes; tests/corpus checks that what is checked in is what this program makes.

A plain archive is for review at best (format-identified-only); `codes` are exactly the codes of the verdict.  `readers`
says what Python's zipfile makes of the file: "same" when it lists and reads members without complaint, "lists nothing",
"refuses", or "varies" from version to version; tests/lib/grammars/zip/test_readers.py checks it.
"""
import binascii
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position


def npy(values=(1, 2, 3, 4)):
    """A NumPy array of bytes: content that every archive here can hold and every build understands."""
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + bytes(values)


# -- records

def extra(tag, data):
    return struct.pack("<HH", tag, len(data)) + data


def zip64(*fields):
    return extra(1, b"".join(struct.pack("<Q", f) for f in fields))


class Member:
    """One member.  `both`, `local` and `central` change fields of the two headers; `dd` is the descriptor's width."""

    def __init__(self, name="a.dat", data=None, method=0, dd=0, both=(), local=(), central=(), descriptor=None,
                 body=None, local_extra=b"", central_extra=b"", comment=b"", between=b""):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.data = npy() if data is None else data
        self.body = body
        if body is None:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            self.body = packer.compress(self.data) + packer.flush() if method == 8 else self.data
        self.fields = {"needed": 20, "flags": 8 if dd else 0, "method": method, "crc": binascii.crc32(self.data),
                       "coded": len(self.body), "size": len(self.data), "name": self.name}
        self.fields.update(both)
        self.local_fields = dict(self.fields, extra=local_extra)
        if dd:
            self.local_fields.update(crc=0, coded=0, size=0)
        self.local_fields.update(local)
        self.central_fields = dict(self.fields, extra=central_extra, made=3 << 8 | 20, comment=comment, disk=0,
                                   external=0o100644 << 16)
        self.central_fields.update(central)
        self.dd, self.descriptor_bytes, self.between = dd, descriptor, between

    def local(self):
        f = self.local_fields
        return struct.pack("<4sHHHHHLLLHH", b"PK\3\4", f["needed"], f["flags"], f["method"], 0, 33, f["crc"],
                           f["coded"], f["size"], len(f["name"]), len(f["extra"])) + f["name"] + f["extra"]

    def descriptor(self):
        if self.descriptor_bytes is not None:
            return self.descriptor_bytes
        f = self.fields
        form = {0: "", 16: "<4sLLL", 24: "<4sLQQ"}[self.dd]
        return struct.pack(form, b"PK\7\10", f["crc"], f["coded"], f["size"]) if self.dd else b""

    def central(self, at):
        f = self.central_fields
        return struct.pack("<4sHHHHHHLLLHHHHHLL", b"PK\1\2", f["made"], f["needed"], f["flags"], f["method"], 0, 33,
                           f["crc"], f["coded"], f["size"], len(f["name"]), len(f["extra"]), len(f["comment"]),
                           f["disk"], 0, f["external"], f.get("at", at)) + f["name"] + f["extra"] + f["comment"]


def end(entries, size, offset, comment=b"", here=None, disk=0, cd_disk=0, comment_n=None):
    return struct.pack("<4sHHHHLLH", b"PK\5\6", disk, cd_disk, entries if here is None else here, entries, size, offset,
                       len(comment) if comment_n is None else comment_n) + comment


def end64(entries, size, offset, rest=44, here=None, disk=0, cd_disk=0):
    return struct.pack("<4sQHHLLQQQQ", b"PK\6\6", rest, 45, 45, disk, cd_disk, entries if here is None else here,
                       entries, size, offset)


def locator(offset, disk=0, disks=1):
    return struct.pack("<4sLQL", b"PK\6\7", disk, offset, disks)


def lay_out(members, start=0):
    """Local headers, data and descriptors; and where each begins."""
    out, at = b"", []
    for m in members:
        at.append(start + len(out))
        out += m.local() + m.body + m.descriptor() + m.between
    return out, at


def archive(*members, before_directory=b"", before_end=b"", tail=b"", prefix=b"", start=0, wide=None, **more):
    """A whole archive.  `prefix` is not counted in offsets unless `start` says so; `wide` gives the zip64 records, from
    the number of entries, the directory's size and its offset; `more` changes the end record."""
    body, at = lay_out(members, start)
    body += before_directory
    offset = start + len(body)
    directory = b"".join(m.central(a) for m, a in zip(members, at))
    told = {"entries": len(members), "size": len(directory), "offset": offset}
    records = wide(told, offset + len(directory)) if wide else b""
    told.update(more)
    return prefix + body + directory + records + before_end + end(**told) + tail


def wide_records(**more):
    """Both zip64 records; `more` changes fields, prefixed by record_ or locator_."""
    record_more = {k[7:]: v for k, v in more.items() if k.startswith("record_")}
    locator_more = {k[8:]: v for k, v in more.items() if k.startswith("locator_")}

    def make(told, at):
        return end64(**{**told, **record_more}) + locator(**{"offset": at, **locator_more})
    return make


# -- cases

REVIEWED = {"format-identified-only", "zip-empty", "zip-comment-present", "zip-trailing-bytes", "zip-flags-reserved", "zip-name-unportable", "zip-name-windows",
            "zip-name-unicode-collision", "zip-ratio", "zip-extra-unknown", "zip-nested"}
CORPUS = Cases(".zip", (), REVIEWED)


def case(name, data, codes="", why="", expect=None, readers="same"):
    codes = " ".join(sorted(codes.split() + ["format-identified-only"]))
    CORPUS.case(name, data, codes, why, expect, readers=readers)


def without_directory(name, data, codes, why, readers="same"):
    """No directory to go by: nobody says what the bytes are."""
    case(name, data, codes, why, readers=readers)
    CORPUS.rows[-1]["codes"].remove("format-identified-only")


def sound():
    case("sound-stored", archive(Member()), why="the smallest honest archive")
    case("sound-deflated", archive(Member(method=8)), why="deflated")
    case("sound-two", archive(Member(), Member("b.dat")), why="two members")
    case("sound-descriptor", archive(Member(dd=16)), why="sizes behind the data, as a writer to a pipe does")
    case("sound-descriptor-values-told-twice", archive(Member(dd=16, local=dict(
        crc=binascii.crc32(npy()), coded=len(npy()), size=len(npy())))), why="bit 3 and the values in the header too")
    case("sound-torch-like", archive(
        Member("archive/data.dat", dd=16, both=dict(flags=0x808), local=dict(needed=0),
               local_extra=extra(0x4246, b"Z" * 14)),
        Member("archive/empty", b"", both=dict(flags=0x800)), wide=wide_records()),
        why="zip64 records with values in the end record too, padding, descriptors")
    n = len(npy())
    case("sound-npz-like", archive(Member(local=dict(needed=45, coded=0xffffffff, size=0xffffffff),
                                          local_extra=zip64(n, n))), why="zip64 in the local header only")
    case("sound-npz-old", archive(Member(local=dict(needed=45), local_extra=zip64(n, n))),
         why="zip64 in the local header, and the real sizes too")
    case("sound-npz-piped", archive(Member(dd=24, local=dict(needed=45, coded=0xffffffff, size=0xffffffff),
                                           local_extra=zip64(0, 0))), why="zip64 and an open size: 24 bytes behind")
    case("sound-wide-central", archive(Member(both=dict(needed=45), central_extra=zip64(n, n), local_extra=zip64(n, n),
                                              central=dict(coded=0xffffffff, size=0xffffffff))), why="zip64 in both")
    case("sound-wide-end", archive(Member(), wide=wide_records(), entries=0xffff, here=0xffff, size=0xffffffff,
                                   offset=0xffffffff), why="the end record refers to zip64 for everything")
    case("sound-empty-member", archive(Member(data=b"")), why="nothing in it")
    case("sound-folder", archive(Member("d/", b"", central=dict(external=0o40755 << 16)), Member("d/a.dat")),
         why="an entry for a folder")
    case("sound-utf8-name", archive(Member("gr\u00f6\u00dfe.dat", both=dict(flags=0x800))), why="bit 11")
    case("sound-nested-last", archive(Member(data=archive(Member()), name="inner.zip")),
         why="an end record inside the last member is no second one", readers="same")
    CORPUS.rows[-1]["codes"].append("format-identified-only")
    case("sound-extra-time", archive(Member(local_extra=extra(0x5455, b"\1\0\0\0\0"), central_extra=extra(
        0x5455, b"\1\0\0\0\0"))), why="Info-ZIP's time stamps")


def ends():
    two = archive(Member(), comment=archive(before_end=b"")[-22:])
    case("end-none", b"PK\3\4" + bytes(40), "zip-eocd-missing", "only the magic", readers="refuses")
    CORPUS.rows[-1]["codes"].remove("format-identified-only")
    without_directory("end-second-in-comment", two, "zip-eocd-ambiguous zip-cd-bounds",
                      "an empty archive's end in the comment of another", readers="lists nothing")
    case("end-comment", archive(Member(), comment=b"hello"), "zip-comment-present", "a comment")
    case("end-comment-and-trailing", archive(Member(), comment=b"hello", tail=b"x"),
         "zip-comment-present zip-trailing-bytes", "a comment and a byte behind it")
    case("end-comment-too-long", archive(Member(), comment=b"hello", comment_n=6),
         "zip-comment-present zip-eocd-missing", "the comment is longer than the file")
    case("end-trailing", archive(Member(), tail=b"1234567"), "zip-trailing-bytes", "seven bytes behind the end")
    case("end-trailing-signature", archive(Member(), tail=b"PK\5\6" + bytes(20)),
         "zip-eocd-ambiguous zip-cd-bounds", "a second end record behind the first, and two bytes",
         readers="lists nothing")
    CORPUS.rows[-1]["codes"].remove("format-identified-only")
    case("end-two-archives", archive(Member()) + archive(Member("b.dat")), "zip-prefix-bytes",
         "one archive behind another: the offsets of the second count from its own start", readers="same")
    case("end-disk-1", archive(Member(), disk=1), "zip-multidisk", "the end is on disk 1", readers="same")
    case("end-directory-disk-1", archive(Member(), cd_disk=1), "zip-multidisk", "the directory is on disk 1")
    case("end-counts-differ", archive(Member(), here=2), "zip-eocd-count", "two members here, one in all")
    case("end-empty", archive(), "zip-empty", "the end record and nothing else",
         readers="lists nothing")
    case("end-empty-after-bytes", archive(prefix=b"PK\3\4 something", start=14), "zip-empty zip-prefix-bytes",
         "an empty archive behind something else", readers="lists nothing")
    case("spanned-marker", b"PK\7\10" + archive(Member(), start=4), "zip-prefix-bytes",
         "the marker of a spanned archive")


def wide_ends():
    one = (Member(),)
    # Debian's Python 3.11.2-6+deb12u9 refuses what u6 read (CVE-2025-8291).
    case("wide-locator-elsewhere", archive(*one, wide=wide_records(locator_offset=0)), "zip-zip64-locator",
         "the locator points to the start of the file", readers="varies")
    case("wide-locator-at-one-more", archive(*one, wide=wide_records(locator_offset=1 << 63)), "zip-zip64-locator",
         "far behind the end", readers="varies")
    case("wide-size-60", archive(*one, wide=wide_records(record_rest=60)), "zip-zip64-locator",
         "the record says it is longer", readers="varies")
    case("wide-entries-differ", archive(*one, wide=wide_records(record_entries=2)),
         "zip-zip64-mismatch zip-cd-count", "two members in zip64, one in the end record")
    case("wide-here-differs", archive(*one, wide=wide_records(record_here=2)), "zip-eocd-count zip-zip64-mismatch",
         "two numbers in the zip64 record")
    case("wide-offset-differs", archive(*one, wide=wide_records(), offset=7), "zip-zip64-mismatch",
         "two places for the directory", readers="same")
    case("wide-disk-1", archive(*one, wide=wide_records(record_disk=1), disk=0xffff), "zip-multidisk",
         "disk 1 in zip64 only")
    case("wide-two-disks", archive(*one, wide=wide_records(locator_disks=2)), "zip-multidisk", "of two disks",
         readers="refuses")
    case("wide-no-disks", archive(*one, wide=wide_records(locator_disks=0)), "zip-multidisk", "of no disk")
    for field, value in (("size", 0xffffffff), ("offset", 0xffffffff), ("entries", 0xffff)):
        codes = {"size": "zip-zip64-missing zip-cd-bounds", "offset": "zip-zip64-missing zip-cd-bounds",
                 "entries": "zip-cd-count"}[field]
        data = archive(*one, **{field: value}, **({"here": value} if field == "entries" else {}))
        (without_directory if field == "size" else case)(
            f"wide-missing-{field}", data, codes, "refers to a zip64 record that is not there",
            readers="same" if field == "entries" else "refuses")
    case("wide-record-without-locator", archive(*one, before_end=end64(1, 51, 168)), "zip-zip64-missing zip-gap "
         "zip-cd-bounds", "a zip64 record nobody points to", readers="refuses")
    case("wide-locator-without-record", archive(*one, before_end=locator(0)), "zip-zip64-missing",
         "a locator and no record", readers="refuses")


def directories():
    two = (Member(), Member("b.dat"))
    size = sum(len(m.central(0)) for m in two)
    case("directory-count-1-of-2", archive(*two, entries=1), "zip-cd-count", "a header more than the end record counts")
    case("directory-count-5-of-2", archive(*two, entries=5), "zip-cd-count", "three fewer than counted")
    case("directory-count-0", archive(*two, entries=0), "zip-cd-count", "none counted")
    case("directory-size-1-more", archive(*two, size=size + 1),
         "zip-cd-bounds zip-cd-count zip-overlap", "one byte too large",
         readers="refuses")
    case("directory-size-1-less", archive(*two, size=size - 1), "zip-cd-bounds zip-cd-count zip-gap", "one byte short",
         readers="refuses")
    case("directory-4-bytes-behind", archive(*two, before_end=b"PK\1\2"), "zip-cd-bounds zip-gap",
         "half a header behind the directory", readers="refuses")
    case("directory-half-header", archive(*two, before_end=b"PK\1\2", size=size + 4), "zip-cd-count",
         "half a header in the directory", readers="refuses")
    case("directory-wrong-signature", archive(*two, before_end=bytes(46), size=size + 46), "zip-cd-count",
         "zeros for a third header", readers="refuses")
    case("prefix-8", archive(Member(), prefix=b"PK\3\4JUNK"), "zip-prefix-bytes", "eight bytes that no offset counts")
    case("prefix-8-counted", archive(Member(), prefix=b"PK\3\4JUNK", start=8), "zip-prefix-bytes",
         "eight bytes that every offset counts")


def lies():
    n, crc = len(npy()), binascii.crc32(npy())
    case("local-name", archive(Member(local=dict(name=b"b.dat"))), "zip-name-mismatch", "another name at the data",
         readers="refuses")
    case("local-name-longer", archive(Member(local=dict(name=b"a.datx"))), "zip-name-mismatch", "a longer name",
         readers="refuses")
    case("local-method", archive(Member(local=dict(method=8))), "zip-method-mismatch", "deflated at the data")
    case("local-crc", archive(Member(local=dict(crc=crc ^ 1))), "zip-crc-field-mismatch", "another CRC at the data")
    case("local-coded", archive(Member(local=dict(coded=n - 1))), "zip-size-mismatch", "a byte less at the data")
    case("local-size", archive(Member(local=dict(size=n + 1))), "zip-size-mismatch", "a byte more at the data")
    case("local-wide-size", archive(Member(local=dict(coded=0xffffffff, size=0xffffffff), local_extra=zip64(n + 1, n))),
         "zip-size-mismatch", "another size in the local zip64 field")
    case("local-wide-missing", archive(Member(local=dict(coded=0xffffffff, size=0xffffffff))), "zip-size-mismatch",
         "refers to a zip64 field that is not there")
    case("local-wide-short", archive(Member(local=dict(size=0xffffffff), local_extra=zip64(n))),
         "zip-zip64-extra zip-size-mismatch", "one of two sizes")
    case("local-flag-1", archive(Member(local=dict(flags=1))), "zip-flags-mismatch zip-encrypted",
         "encrypted at the data only")
    case("local-flag-20", archive(Member(local=dict(flags=0x20))), "zip-flags-mismatch zip-patched",
         "patched data at the data only")
    case("local-flag-800", archive(Member(local=dict(flags=0x800))), "zip-flags-mismatch", "UTF-8 at the data only")
    case("local-version-63", archive(Member(local=dict(needed=63))), "zip-version", "LZMA's version at the data")
    case("local-missing", archive(Member(central=dict(at=1))), "zip-lfh-missing", "not where the directory says",
         readers="refuses")
    case("local-in-directory", archive(Member(), Member("b.dat", central=dict(at=2 * n + 70))),
         "zip-lfh-missing", "inside the directory", readers="refuses")
    inner = Member("b.dat", b"")
    case("local-in-a-comment", archive(Member(comment=inner.local()), Member("b.dat", b"", central=dict(
        at=2 * len(inner.local()) + n + 46 + 5))), "zip-lfh-missing zip-comment-present zip-overlap zip-gap",
         "a local header in a comment of the directory", readers="varies")
    case("local-wide-absent", archive(Member(both=dict(needed=45), central_extra=zip64(n, n),
                                             central=dict(coded=0xffffffff, size=0xffffffff))), "zip-zip64-extra",
         "zip64 in the directory, where unzip then wants it at the data too")
    case("local-max", archive(Member(central=dict(at=0xffffffff), central_extra=zip64((1 << 64) - 1))),
         "zip-lfh-missing", "at 2^64-1", readers="refuses")
    case("local-data-past-end", archive(Member(both=dict(coded=n + 9999, size=n + 9999))),
         "zip-data-bounds zip-size-sum", "more data than the file has", readers="refuses")
    case("local-data-2-64", archive(Member(both=dict(coded=0xffffffff, size=0xffffffff),
                                     local_extra=zip64((1 << 64) - 1, (1 << 64) - 1),
                                     central_extra=zip64((1 << 64) - 1, (1 << 64) - 1))),
         "zip-data-bounds zip-size-sum zip-output", "2^64-1 bytes", readers="refuses")
    case("flag-2-stored", archive(Member(both=dict(flags=2))), "", "a deflater's hint that stayed")
    case("flag-2-deflated", archive(Member(method=8, both=dict(flags=2))), "", "a deflater's hint")
    case("flag-8000", archive(Member(both=dict(flags=0x8000))), "zip-flags-reserved", "a bit nobody uses")
    case("flag-20", archive(Member(both=dict(flags=0x20))), "zip-patched", "patched data (CVE-2025-1945)",
         readers="refuses")
    for flag in (1, 0x40, 0x2000):
        case(f"flag-{flag:x}", archive(Member(both=dict(flags=flag))), "zip-encrypted",
             "a mark that stops zipfile and not every loader (CVE-2025-1945)",
             readers="same" if flag == 0x2000 else "refuses")
    case("method-8", archive(Member(method=8)), "", "deflate")
    for method in (12, 99):
        case(f"method-{method}", archive(Member(both=dict(method=method))), "zip-method-forbidden",
             "bzip2" if method == 12 else "AES", readers="refuses")
    case("version-45", archive(Member(both=dict(needed=45))), "", "the last one")
    case("version-central-46", archive(Member(central=dict(needed=46))), "zip-version", "in the directory only")
    case("version-46", archive(Member(both=dict(needed=46))), "zip-version", "bzip2's")
    case("stored-sizes", archive(Member(both=dict(size=n - 4))), "zip-stored-size",
         "stored with two sizes: four bytes are hidden", readers="refuses")
    case("crc-wrong", archive(Member(both=dict(crc=crc ^ 1))), "zip-crc", "another CRC in both headers",
         readers="refuses")
    case("crc-zero", archive(Member(both=dict(crc=0))), "zip-crc", "CRC 0 everywhere (CVE-2025-10156)",
         readers="refuses")


def descriptors():
    n, crc = len(npy()), binascii.crc32(npy())
    dd = struct.pack
    case("descriptor-missing", archive(Member(dd=16, descriptor=b"")), "zip-dd-mismatch", "none there")
    case("descriptor-crc", archive(Member(dd=16, descriptor=dd("<4sLLL", b"PK\7\10", crc ^ 1, n, n))),
         "zip-dd-mismatch zip-gap", "another CRC")
    case("descriptor-coded", archive(Member(dd=16, descriptor=dd("<4sLLL", b"PK\7\10", crc, n + 1, n))),
         "zip-dd-mismatch zip-gap", "another size")
    case("descriptor-no-signature", archive(Member(dd=16, descriptor=dd("<LLL", crc, n, n))),
         "zip-dd-mismatch zip-gap", "without its signature")
    case("descriptor-wide-unasked", archive(Member(dd=24)), "zip-dd-mismatch", "24 bytes where 16 do")
    case("descriptor-narrow-with-zip64", archive(Member(dd=16, local=dict(coded=0xffffffff, size=0xffffffff),
                                                        local_extra=zip64(0, 0))), "zip-dd-mismatch",
         "16 bytes where the header speaks of zip64")
    case("descriptor-header-lies", archive(Member(dd=16, local=dict(size=n + 1))), "zip-dd-mismatch",
         "bit 3, and a size that is neither 0 nor right")
    case("descriptor-header-size-only", archive(Member(dd=16, local=dict(size=n))), "",
         "bit 3, and the size that was known in advance (zip -fd)")
    case("descriptor-header-crc-lies", archive(Member(dd=16, local=dict(crc=1))), "zip-dd-mismatch",
         "bit 3, and a CRC that is neither 0 nor right")


def codings():
    packed = Member(method=8)
    body, data = packed.body, packed.data
    case("deflate-damaged", archive(Member(method=8, body=b"\7" + body[1:])), "zip-inflate-error format-unknown",
         "block type 3", readers="refuses")
    case("deflate-cut", archive(Member(method=8, body=body[:-1])), "zip-inflate-error", "the last byte is missing")
    case("deflate-trailing", archive(Member(method=8, body=body + b"x")), "zip-inflate-error",
         "a byte behind the last block")
    case("deflate-longer", archive(Member(method=8, both=dict(size=len(data) - 1))), "zip-inflate-size npy-truncated",
         "one byte more than the directory says", readers="refuses")
    case("deflate-shorter", archive(Member(method=8, both=dict(size=len(data) + 1))),
         "zip-inflate-size npy-trailing-bytes", "one byte less than the directory says", readers="same")


def packed_zeros(name, n):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = npy(bytes(n))
    return Member(name, data, method=8, body=packer.compress(data) + packer.flush())


def ratios():
    case("ratio-1000", archive(packed_zeros("a.dat", 1 << 21)), "zip-ratio", "two MiB of zeros in two KiB")
    case("ratio-1000-small", archive(packed_zeros("a.dat", (1 << 20) - len(npy(())))), "",
         "one MiB of them is nobody's bomb")
    case("ratio-1000-one-of-two", archive(packed_zeros("a.dat", 1 << 21), Member("b.dat", npy(bytes(40000)))),
         "zip-ratio", "a member, though the whole is below its ratio")
    case("ratio-1000-in-parts", archive(*(packed_zeros(f"{i}.dat", 600000) for i in range(3))), "zip-ratio",
         "the whole, though each member is small enough")


def extras():
    case("extra-overrun", archive(Member(central_extra=struct.pack("<HH", 0x5455, 9) + b"\1")), "zip-extra-malformed",
         "longer than its place", readers="refuses")
    case("extra-rest", archive(Member(local_extra=extra(0x5455, b"\1\0\0\0\0") + b"\0\0\0")), "zip-extra-malformed",
         "three bytes left over")
    case("extra-unknown", archive(Member(local_extra=extra(0x1234, b""))), "zip-extra-unknown", "nobody's")
    path = b"\1" + struct.pack("<L", binascii.crc32(b"a.dat")) + b"b.dat"
    case("extra-unicode-path", archive(Member(central_extra=extra(0x7075, path))), "zip-extra-unicode-path",
         "a second name")
    case("extra-unicode-path-local", archive(Member(local_extra=extra(0x7075, path))), "zip-extra-unicode-path",
         "a second name at the data")
    n = len(npy())
    case("zip64-left-over", archive(Member(central_extra=zip64(n, n))), "zip-zip64-extra", "nobody asked for it")
    case("zip64-short", archive(Member(central=dict(size=0xffffffff), central_extra=extra(1, b"1234567"))),
         "zip-zip64-extra zip-size-mismatch zip-stored-size zip-ratio", "seven bytes", readers="refuses")
    case("zip64-twice", archive(Member(central=dict(size=0xffffffff), local=dict(size=0xffffffff),
                                       central_extra=zip64(n) + zip64(n), local_extra=zip64(n, n))),
         "zip-zip64-extra", "two of them")
    case("zip64-missing", archive(Member(central=dict(at=0xffffffff))), "zip-zip64-extra zip-lfh-missing",
         "refers to a zip64 field that is not there", readers="refuses")


def kinds():
    mode = lambda m: dict(external=m << 16)
    case("mode-symlink", archive(Member(central=mode(0o120777))), "zip-symlink", "a symbolic link")
    case("mode-device", archive(Member(central=mode(0o20666))), "zip-special-file", "a character device")
    case("mode-none", archive(Member(central=mode(0o644))), "", "permissions without a type")
    case("member-disk-1", archive(Member(central=dict(disk=1))), "zip-multidisk", "a member on disk 1")
    case("member-comment", archive(Member(comment=b"hello")), "zip-comment-present", "a member's comment")
    case("folder-deflated", archive(Member("d/", b"", method=8)), "", "nothing, deflated, as Python writes it")
    case("folder-with-content", archive(Member("d/")), "zip-directory-entry", "a folder's entry that has content")


def names():
    for title, name, code in (
            ("empty", b"", "zip-name-length"), ("1025", b"a" * 1025, "zip-name-length"),
            ("1024", b"a" * 1024, ""), ("nul", b"a\0b", "zip-name-control"),
            ("escape", b"a\x1b[2J", "zip-name-control"),
            ("delete", b"a\x7f", "zip-name-control"), ("latin1", b"gr\xf6sse", "zip-name-encoding"),
            ("dotdot", b"../x", "zip-name-traversal"), ("dotdot-inside", b"a/../x", "zip-name-traversal"),
            ("dot", b"./x", "zip-name-traversal"), ("dots-in-a-name", b"a/..x/x..y/.z", ""),
            ("root", b"/x", "zip-name-absolute"), ("drive", b"C:x", "zip-name-absolute"), ("colon", b"12:x", ""),
            ("backslash", b"a\\b", "zip-name-windows"), ("backslash-up", b"a\\..\\b", "zip-name-backslash"),
            ("backslash-root", b"\\a\\b", "zip-name-backslash"), ("backslash-end", b"a\\", "zip-name-backslash"),
            ("backslash-double", b"a\\\\b", "zip-name-backslash"), ("backslash-mixed", b"a/b\\c", "zip-name-backslash"), ("drive-backslash", b"C:\\x",
                                                          "zip-name-absolute zip-name-backslash"),
            ("double-slash", b"a//b", "zip-name-unportable"), ("final-dot", b"a./b", "zip-name-unportable"),
            ("final-space", b"a ", "zip-name-unportable"), ("device", b"d/AUX.txt", "zip-name-unportable"),
            ("device-5", b"com5", "zip-name-unportable"), ("no-device", b"com0/auxiliary/con1", "")):
        case(f"name-{title}", archive(Member(name)), code, repr(name)[:60])
    for title, name in (("overlong", b"a\xc0\xafb"), ("surrogate", b"\xed\xa0\x80"), ("cut", b"\xe2\x82"),
                        ("too-high", b"\xf4\x90\x80\x80")):
        case(f"name-utf8-{title}", archive(Member(name, both=dict(flags=0x800))), "zip-name-encoding", repr(name),
             readers="refuses")
    case("names-windows", archive(Member("a\\b.dat"), Member("a\\c\\d.dat"), Member("e.dat")), "zip-name-windows", "as .NET writes folders on Windows")
    case("names-windows-not", archive(Member("a\\b.dat"), Member("a/b.dat")), "zip-name-backslash", "one file for some readers, two for others")
    utf8 = dict(both=dict(flags=0x800))
    case("names-twice", archive(Member(), Member(data=npy((9,)))), "zip-name-duplicate", "one name, two contents")
    case("names-case", archive(Member("d/a.dat"), Member("d/A.DAT")), "zip-name-case-collision", "A and a")
    case("names-full-width", archive(Member("a.dat"), Member("\uff41.dat", **utf8)), "zip-name-unicode-collision",
         "a full-width a")
    case("names-composed", archive(Member("\u00e9.dat", **utf8), Member("e\u0301.dat", **utf8)),
         "zip-name-unicode-collision", "one accent, two spellings")
    case("names-alike", archive(Member("\u00e9.dat", **utf8), Member("e.dat"), Member("e\u0300.dat", **utf8)), "",
         "an accent more makes another name")
    case("names-file-and-folder", archive(Member("x"), Member("x/y/z")), "zip-name-file-as-directory",
         "x is a file and a folder")
    case("names-file-and-folder-entry", archive(Member("x"), Member("x/", b"")), "zip-name-file-as-directory",
         "x and x/")
    case("names-siblings", archive(Member("x.y"), Member("x/y")), "", "x.y is not in x")


def coverage():
    first, second = Member(), Member("b.dat")
    case("gap-between", archive(Member(between=b"HIDDEN"), second), "zip-gap", "six bytes between two members")
    case("gap-before-directory", archive(first, before_directory=b"HIDDEN"), "zip-gap",
         "six bytes before the directory")
    case("overlap-one-header", archive(first, Member("a.dat", central=dict(at=0))),
         "zip-overlap zip-name-duplicate zip-gap zip-size-sum", "two entries share one local header",
         readers="varies")
    CORPUS.rows[-1]["codes"].remove("zip-size-sum")
    case("overlap-quoted", quoted(), "zip-overlap zip-eocd-missing",
         "one member's header is data of the other (USENIX WOOT '19)",
         readers="varies")
    case("hidden-member", hidden(), "zip-gap", "a member that the directory does not list")


def quoted():
    """Both members end with the same deflated bytes; the first reaches them over the second's header, which a stored
    block quotes."""
    inner = Member("b.dat", method=8)
    kernel = inner.body
    quote = inner.local()
    block = b"\0" + struct.pack("<HH", len(quote), len(quote) ^ 0xffff) + quote
    outer_data = quote + inner.data
    outer = Member("a.dat", data=outer_data, method=8, body=block + kernel)
    local = outer.local()
    body = local + block + quote * 0 + kernel
    directory = outer.central(0) + inner.central(len(local) + 5)
    return body + directory + end(2, len(directory), len(body))


def hidden():
    members = (Member(), Member("b.dat"))
    body, at = lay_out(members)
    directory = members[0].central(at[0])
    return body + directory + end(1, len(directory), len(body))


def nested():
    data = archive(Member())
    for depth in (1, 2):
        data = archive(Member("inner.zip", data))
    case("nested-2", data, "", "an archive in an archive in an archive")
    case("nested-3", archive(Member("inner.zip", data)), "zip-nested", "one more")


def weights():
    """What is different in archives of weights, which are their own formats."""
    def of_weights(name, data, codes, expect, why, readers="same"):
        case(name, data, codes, why, expect=expect, readers=readers)
        CORPUS.rows[-1]["codes"].remove("format-identified-only")

    array = Member("a.npy")
    of_weights("weights-plain.npz", archive(array), "", "accept", "an array")
    of_weights("weights-comment.npz", archive(array, comment=b"hello"), "zip-comment-present zip-comment-forbidden",
               "reject", "a comment in an npz")
    of_weights("weights-member-comment.npz", archive(Member("a.npy", comment=b"hello")),
               "zip-comment-present zip-comment-forbidden", "reject", "a member's comment in an npz")
    of_weights("weights-folder.npz", archive(array, Member("d/", b"")), "zip-directory-present", "review",
               "an entry for a folder in an npz")
    of_weights("weights-zeros.npz", archive(packed_zeros("a.npy", 1 << 21)), "zip-ratio-array", "accept",
               "an array of two million zeros")
    of_weights("weights-zero-crc.npz", archive(Member("a.npy", both=dict(crc=0))), "zip-crc", "reject",
               "CRC 0 in an npz", readers="refuses")
    pickle, version = b"\x80\2}q\0.", b"3\n"
    for title, fields, codes in (("crc-absent", dict(crc=0), "zip-crc-absent"),
                                 ("crc-there", {}, "")):
        members = [Member("archive/" + n, d, both=fields) for n, d in (("data.pkl", pickle), ("version", version))]
        of_weights(f"weights-{title}.pt", archive(*members), codes, "accept", "an empty checkpoint, rezipped",
                   readers="refuses" if fields else "same")


def cut():
    whole = archive(Member(), Member("b.dat", method=8), wide=wide_records())
    for keep, why in ((len(whole) - 1, "a byte of the end record is missing"), (len(whole) - 22, "no end record"),
                      (100, "only the first member's data")):
        case(f"cut-to-{keep}", whole[:keep], "zip-eocd-missing", why, readers="refuses")
        CORPUS.rows[-1]["codes"].remove("format-identified-only")


CORPUS.make(sound, ends, wide_ends, directories, lies, descriptors, codings, ratios, extras, kinds, names, coverage,
            nested, weights, cut)
