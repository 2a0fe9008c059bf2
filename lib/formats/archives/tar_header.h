/* One header of a tar archive (POSIX.1-2017, pax, "ustar Interchange Format"; GNU's long names): what it says of the
 * member behind it, or what is wrong with it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "findings.h"

#define TAR_BLOCK 512u
#define TAR_NAME_MAX 4096u /* what GNU and pax headers may bring: formats/others, section 2 */

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LONG_NAME, TAR_PAX };

struct tar_header {
	enum tar_kind kind;
	uint64_t size; /* of what follows the header, bytes */
	/* Without "." and empty parts; empty for the folder the archive is of. */
	uint8_t name[TAR_NAME_MAX];
	size_t name_n;
};

/* What the extended header in front of it said.  There is at most one: of two GNU tar takes the last, Python both. */
struct tar_extended {
	bool any, has_name, has_size;
	uint64_t size;
	uint8_t name[TAR_NAME_MAX];
	size_t name_n;
};

/* Could an archive begin with this block? */
bool tar_begins(const uint8_t block[TAR_BLOCK]);

/**
 * tar_header_read() - a block that is not all zeros
 * @x: what stood in front of it; reset once it has been used.
 * Return: true; false with what is wrong in *ret_code.
 */
bool tar_header_read(
    const uint8_t block[TAR_BLOCK], struct tar_extended *x, struct tar_header *ret, enum wlk_finding *ret_code);

/* The content of a header of kind TAR_LONG_NAME or TAR_PAX.  False: not what every reader takes alike. */
bool tar_extended_read(struct tar_extended *x, enum tar_kind kind, struct bytes content);
