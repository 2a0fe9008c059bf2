/* The header of a NumPy array: a Python dictionary that says type, order and shape.  Follows formats/npy, section 3:
 * strict, but what NumPy itself would load is understood as NumPy does, so that its data is still checked. */
#pragma once

#include "arena.h"
#include "numpy_descr.h"
#include "report.h"

#define NPY_HEADER_USUAL 10000u /* NumPy's own limit unless pickles are allowed */
#define NPY_HEADER_MAX 65535u

/* Where findings about an array say it stands. */
struct npy_place {
	struct report *report;
	struct bytes member; /* path in the archive; empty for a file */
	uint64_t origin;     /* offset that the array's first byte has in findings */
};

void npy_finding(const struct npy_place *p, enum wlk_finding code, uint64_t at);
void npy_finding_value(const struct npy_place *p, enum wlk_finding code, uint64_t at, uint64_t found, uint64_t allowed);

struct npy_header {
	struct numpy_record record;
	struct numpy_shape shape;
	bool fortran_order;
	uint64_t data_bytes; /* the product of shape and item, when header_read() returns true */
};

/**
 * npy_header_read() - read the text and report what is wrong with it
 * @text: H bytes, at offset @at of the array. @version: 1 to 3. @arena: for fields and decoded strings.
 * Return: false when the header cannot be understood (findings say why, or arena->exhausted is set).
 */
bool npy_header_read(const struct npy_place *p, struct bytes text, uint64_t at, unsigned version, struct arena *arena,
    struct npy_header *ret);
