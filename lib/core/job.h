/* What the worker is told about a file, besides its descriptor: never its name.  Encoded by the front (or the
 * command), opaque to the sandbox that carries it, decoded in the jail. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config_family.h"
#include "dtype.h"
#include "formats.h"
#include "pickle_names.h"
#include "scan_limits.h"
#include "source.h"

#define JOB_BYTES_MAX 512

/* What is asked of the worker beyond a verdict's facts. */
enum job_kind {
	JOB_FILE,     /* judge a model file */
	JOB_SET,      /* the descriptor is a set document (set_document.h): judge the files in it against each other */
	JOB_IDENTIFY, /* say what the file is and what decided; judge nothing */
	JOB_CONVERT,  /* judge it, and write its tensors to a third descriptor: convert.h */
	/* Judge its structure alone: what of it is there, and what it must be, is the document's (partial.h); without one all
	 * of it is there, and nothing is known. */
	JOB_STRUCTURE,
	JOB_N_KINDS
};

/* Whether the file comes with others that are judged against it (docs/architecture, "Sets and manifests"). */
enum job_part {
	JOB_PART_ALONE,
	/* It does: what it says about others is left to the set.  What no format recognises is not judged yet, for another
	 * one may say what it is: the report is then WLK_FACT_PUT_OFF and nothing else. */
	JOB_PART_MEMBER,
	/* It was put off, and the others have been judged. */
	JOB_PART_MEMBER_AGAIN,
	JOB_N_PARTS
};

/* How its bytes come to the worker. */
enum job_input {
	JOB_INPUT_FILE, /* as it is; with `arriving`, as far as it has come */
	JOB_INPUT_COPY, /* the beginning of a larger memory file that a digester fills */
	/* As it is, but what is judged goes by in a digester's memory: struct source_flow. */
	JOB_INPUT_FLOW,
	JOB_N_INPUTS
};

struct job {
	enum job_kind task;
	enum job_part part;
	/* Of JOB_STRUCTURE: see there.  Of JOB_PART_MEMBER_AGAIN: what the others say (set_document.h) is a second descriptor's, and which member of it
	 * the file is.  0: nobody says anything. */
	uint64_t document_size;
	uint32_t member;
	bool rows, digests; /* send the manifest; with the SHA-256 of each tensor (digests implies rows) */
	bool stats;         /* with the rows: what the elements of each tensor are as numbers; implies rows */
	bool calls;         /* send what loading would call, with all arguments */
	bool views;         /* send what `weighlock inspect` shows (report.h); implies calls */
	uint64_t size;      /* bytes of the file, measured by the front */
	enum source_kind kind;
	uint64_t output_max; /* of JOB_CONVERT, and of no other: bytes of the output at most */
	enum wlk_dtype cast; /* of JOB_CONVERT: floats become such; NONE: they stay */
	bool leave;          /* of JOB_CONVERT: tensors that cannot be converted are left behind */
	bool arriving;       /* not all bytes are there yet: see arrival.h */
	bool noted;          /* of JOB_FILE: send what a JOB_STRUCTURE of the same file has to be held to (partial.h) */
	bool undigested;     /* somebody who parses nothing takes the digest: of what is immutable, or flows */
	enum job_input input;
	enum wlk_format_id hint;   /* the family its extension suggests */
	enum config_family family; /* and the library whose configuration it would be */
	struct limits limits;
	struct pickle_names pickle_names; /* what the policy adds to the built-in ones; borrowed */
};

/* All but the names, which follow it as they are: what most jobs have to say stays small.
 * Return: bytes written to buf (always below JOB_BYTES_MAX). */
size_t job_encode(const struct job *job, uint8_t buf[JOB_BYTES_MAX]);
/* What job_encode() wrote, and the names behind it, of which *ret is a view.  Strict: exact length, known version, enums
 * in range, limits at or below their maximum, names as pickle_names_valid() has them. */
bool job_decode(const uint8_t *at, size_t n, struct job *ret);
