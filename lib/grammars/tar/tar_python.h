/* What Python's tarfile takes for the first header of an archive.  torch.load() gives every file that does not begin as a ZIP
 * archive to tarfile first, and unpacks and unpickles what that finds; only what tarfile refuses is read as a pickle.  So
 * not what a tar header ought to be counts, but what tarfile.TarInfo.frombuf() lets pass: CPython 3.6 to 3.13 agree. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TAR_PYTHON_BLOCK 512u

struct tar_python {
	/* The checksum is written down.  An empty field is the number 0, which a sum of signed bytes may be by chance: a
	 * block of many zeros needs no more. */
	bool spelt;
	bool extended; /* its content says what the next header is of; tarfile reads that one at once */
	bool has_next; /* there is a place where tarfile looks for the next header: */
	uint64_t next; /* offset behind the start of this one, at least TAR_PYTHON_BLOCK */
};

/**
 * tar_python_header() - would tarfile.open(mode='r:') go on with this block?
 * A block of zeros is the end mark of an archive without members, and no header.
 * Return: false: it raises HeaderError, and the file is no tar archive to it.
 */
bool tar_python_header(const uint8_t block[TAR_PYTHON_BLOCK], struct tar_python *ret);
