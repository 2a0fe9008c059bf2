/* The rows of a NumPy array in the manifest: one, or of records one for each field. */
#pragma once

#include "format.h"
#include "npy_header.h"

/**
 * npy_list() - list the array, if the job wants rows
 * Elements without a number type (text, raw bytes) are listed as what they consist of, in one more dimension: "<U3" of
 * shape (2,) is UCS4 of shape [2,3].  So is a field that holds several elements.
 * @e: its extent, with its records attached. @key: its name.
 * Return: false: the list is too long, the scan is stopped.
 */
bool npy_list(struct layout *l, const struct npy_header *h, const struct extent *e, struct bytes key);
