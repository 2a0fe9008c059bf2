"""What we take for the first header of a tar archive beside Python's own tarfile: over headers that are damaged and spelt in
every way that a number may be, both say the same.

    test_tar_python.py LISTER [CASES]

CASES: how many, of each seed; the gate takes a few thousand.  What else TarFile.open() asks of an archive (that extended headers
can be read) we do not ask: whatever it takes begins with a header that we take."""
import io
import random
import struct
import subprocess
import sys
import tarfile

import tap

LISTER = sys.argv[1]
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 8000
BLOCK = 512
FIELDS = [(100, 8), (108, 8), (116, 8), (124, 12), (136, 12), (329, 8), (337, 8)]
SPARSE = [(386 + 12 * i, 12) for i in range(8)] + [(483, 12)]
SUM = (148, 8)
ODD = [b"", b" ", b"0", b"-0", b"+0", b"0o7", b"0O17", b"0o_7", b"1_0", b"1__0", b"_1", b"1_", b"0o", b"-", b"+", b"-7", b"8",
       b"7 1", b"\t7", b"7\n", b"\x0b7\x0c", b"\x1c7\x1f", b"\x857", b"\xa07", b"\0007", b"7\0x", b"- 7", b"--7", b"+-7", b"0x7",
       b"0b1", b"00o7", b"0_7", b"07", b"\x80", b"\xff", b"\x80\0\0\0\0\0\0\1", b"\xff\xff\xff\xff\xff\xff\xff\xff", b"\x81", b"\xfe",
       b"\xff\0\0\0\0\0\0\0", b"\x80\xff\xff\xff\xff\xff\xff\xff", b"1L", b"1e1", b"7.", b"\xe0\xb9\x91", b"\x1b7", b"\xef\xbc\x97"]


def honest(r):
    info = tarfile.TarInfo(r.choice(["a", "weights/b.bin", "storages", "d/"]))
    info.size, info.mtime, info.uid = r.choice([0, 1, 512, 70000]), r.randrange(1 << 31), r.randrange(1 << 16)
    info.type = r.choice([tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.GNUTYPE_SPARSE, b"\xfe"])
    return bytearray(info.tobuf(r.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT]))[:BLOCK])


def noise(r):
    """Bytes of any kind around fields that are mostly numbers."""
    block = bytearray(r.choice([bytes(BLOCK), bytes(r.getrandbits(8) for _ in range(BLOCK)), bytes(r.randrange(0x80) for _ in range(BLOCK))]))
    for at, n in FIELDS:
        block[at:at + n] = b"%0*o\0" % (n - 1, r.randrange(8 ** (n - 2)))
    return block


def put(block, at, n, text):
    block[at:at + n] = text[:n].ljust(n, random.choice([b"\0", b" "]))


def spell(r, value):
    """The same number, or one beside it, in a way that somebody may take for it."""
    value += r.choice([0, 0, 0, 0, 1, -1, 256, -256])
    digits = b"%o" % abs(value)
    sign = b"-" if value < 0 else r.choice([b"", b"", b"+"])
    ways = [sign + digits, sign + digits.rjust(6, b"0"), sign + b"0o" + digits, sign + b"0O_" + digits, b" " + sign + digits,
            sign + digits[:1] + b"_" + digits[1:], sign + digits + b" \0zz", b"\t" + sign + digits + b"\n", sign + digits + b"_",
            bytes([0x80]) + struct.pack(">Q", abs(value))[1:], bytes([0xff]) + struct.pack(">q", value)[1:],
            b"-" + digits, b"\0" + digits, digits + b"8", b""]
    return r.choice(ways)


def sums(block):
    other = block[:148] + b" " * 8 + block[156:]
    return sum(other), sum(struct.unpack("512b", other))


def level(r, block):
    """So that the signed sum is 0, where a byte allows for it."""
    for _ in range(12):
        gap = -sums(block)[1]
        at = r.choice(range(160, 257))
        old = block[at] - 256 if block[at] > 127 else block[at]
        block[at] = max(-128, min(127, old + gap)) & 255


def case(r):
    block = r.choice([honest, noise])(r)
    for _ in range(r.choice([0, 0, 0, 1, 1, 2])):
        at, n = r.choice(FIELDS + SPARSE)
        put(block, at, n, r.choice(ODD))
    if r.random() < 0.1:
        block[257:265] = r.choice([b"ustar\x0000", b"ustar  \0", bytes(8), bytes(r.getrandbits(8) for _ in range(8))])
    if r.random() < 0.1:
        level(r, block)
    if r.random() < 0.95:
        put(block, *SUM, spell(r, r.choice(sums(block))))
    if r.random() < 0.1:
        block[r.randrange(BLOCK)] = r.randrange(256)
    return bytes(block)


def by_python(block):
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def opened(block):
    """As torch.load() asks; what else may be raised is no refusal, but no archive either."""
    try:
        tarfile.open(fileobj=io.BytesIO(block + bytes(1024)), mode="r:").close()
    except Exception:  # noqa: BLE001 pylint: disable=broad-exception-caught
        return False
    return True


def by_us(blocks):
    done = subprocess.run([LISTER], input=b"".join(blocks), stdout=subprocess.PIPE, timeout=600, check=True)
    return [c == ord("1") for c in done.stdout]


def compare(seed):
    random.seed(seed)
    r = random.Random(seed)
    blocks = [case(r) for _ in range(CASES)]
    told, taken = by_us(blocks), [by_python(b) for b in blocks]
    wrong = [b.hex() for b, ours, theirs in zip(blocks, told, taken) if ours != theirs]
    assert not wrong, (len(wrong), wrong[:2])
    assert CASES // 6 < sum(taken) < CASES * 5 // 6, sum(taken)
    missed = [b.hex() for b, ours in zip(blocks, told) if not ours and b.count(0) < BLOCK and opened(b)]
    assert not missed, missed[:2]


def test_headers_are_told_as_tarfile_tells_them():
    compare(20261122)


def test_every_odd_number_in_every_field():
    blocks = []
    for at, n in FIELDS + SPARSE + [SUM]:
        for odd in ODD:
            for fill in b"\0", b" ":
                block = bytearray(noise(random.Random(1)))
                block[156:157] = b"S" if (at, n) in SPARSE else b"0"
                block[386:495] = bytes(109)
                block[at:at + n] = odd[:n].ljust(n, fill)
                if at != SUM[0]:
                    block[148:156] = b"%06o\0 " % sums(block)[0]
                blocks.append(bytes(block))
    assert [b.hex() for b, ours in zip(blocks, by_us(blocks)) if ours != by_python(b)] == []


def test_no_number_needs_the_checksum_to_be_spelt():
    block = bytearray(BLOCK)
    block[0], block[160] = 1, 0xff
    block[1:3] = b"\x80\x80"  # 1 - 1 - 256, and 256 for the blanks
    assert by_python(bytes(block)) and by_us([bytes(block)]) == [True]
    block[0] = 2
    assert by_us([bytes(block)]) == [False]


def test_an_archive_of_zeros_is_no_header():
    assert by_us([bytes(BLOCK)]) == [False]


tap.main(globals())
