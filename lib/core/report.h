/* The report: facts about one file, written by the worker as length-prefixed binary records and read back by
 * facts.h, which treats them as if a stranger wrote them.  Records are sent as they are found, so that a scan
 * that dies later still leaves what it saw.
 *
 * A record is u32 length of the payload, u8 type, payload; little endian; strings are u16 length and bytes.
 * Bounds: 100 findings a code, 4,096 in all, 1,000 non-finite rows; what exceeds them is only counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "call_text.h"
#include "convert.h"
#include "dtype.h"
#include "findings.h"
#include "formats.h"
#include "manifest.h"
#include "partial.h"
#include "status.h"

#define REPORT_PER_CODE_MAX 100
#define REPORT_FINDINGS_MAX 4096
#define REPORT_NONFINITE_MAX 1000
#define REPORT_FACTS_MAX 256    /* the keyed ones have a key an element type: 60 at most */
#define REPORT_STRING_MAX 1024u /* bytes of a name, a value, a subject */
#define REPORT_RECORD_MAX 8192u /* payload of the largest record, with room */
#define REPORT_PROGRESS_MS 100  /* at most one progress record in this time */

enum report_record {
	RECORD_PROGRESS = 1, /* u64 bytes done */
	RECORD_FINDING = 2,
	RECORD_NONFINITE = 3,
	RECORD_FACT = 4,
	RECORD_OMITTED = 5, /* u32 number of the code, u64 findings of this code in all; numbers ascend */
	RECORD_FINAL = 6,
	RECORD_ROW = 7,    /* of the manifest, when the job asks for it: manifest.h */
	RECORD_DIGEST = 8, /* u64 index of a row, SHA-256 of its tensor */
	RECORD_CALL = 9,   /* when the job asks for calls */
	RECORD_VIEW = 10,  /* when the job asks for views */
	/* 32 bytes: a digest of all that the pass works with besides the file's bytes.  Of a job that is noted, where what the pass
	 * finds begins; of JOB_STRUCTURE, once its structure is read whole and a pass would be all that is left. */
	RECORD_PASS = 11,
	RECORD_BLOCK = 12,  /* u64 index, SHA-256: of a job that is noted (partial.h); indexes ascend */
	RECORD_WANTED = 13, /* u64 begin, u64 end: of JOB_STRUCTURE, what is missing; ascending */
	RECORD_STATS = 14,  /* u64 index of a row, its tensor's statistics: manifest.h */
};

/* A value found or allowed: nothing, a number, or text (bytes from the file: the front escapes them).  Facts may also be
 * flags, whose number is 0 or 1. */
enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_TEXT, VALUE_FLAG };

struct value {
	enum value_kind kind;
	uint64_t number;
	struct bytes text;
};

struct finding {
	enum wlk_finding code;
	bool has_offset, has_length;
	uint64_t offset, length; /* in the file, bytes; with OFFSET_DECODED (part.h): in what the member decodes to */
	struct bytes subject;    /* tensor, key ...: file bytes, cut to REPORT_STRING_MAX */
	struct bytes member;     /* path of the archive member, or empty */
	struct value found, allowed;
};

/* What is to be thought of a call, as far as tables and rules go; a policy may think otherwise. */
enum call_standing { CALL_ALLOWED, CALL_DOUBTFUL, CALL_DANGEROUS, N_CALL_STANDINGS };

/* Something that loading the file calls: see call_text.h. */
struct call_record {
	enum call_standing standing;
	bool cut;        /* the text is not all of it */
	uint64_t offset; /* of what makes the call; as a finding's */
	struct bytes member;
	struct bytes text;
	size_t callee_n; /* bytes of the text that say what is called */
};

/* So many of each standing are sent, in the order in which they are made; of others only how many there were is known
 * (WLK_FACT_CALLS_OMITTED).  A honest checkpoint makes thousands of calls that are allowed. */
#define REPORT_CALLS_ALLOWED 20u
#define REPORT_CALLS_MAX 100u /* of each other standing */

/* What `weighlock inspect` shows beside the verdict.  Made in the jail like all that is read, and never judged. */
enum view_kind {
	VIEW_RANGE, /* [offset, +length) of the file, `number` extents one behind the other: a: enum view_range, b: dtype */
	VIEW_MEMBER, /* of an archive: `member` in coded bytes [offset, +length), `number` decoded (UINT64_MAX: nobody knows);
	              * a: format, b: understood; text: its coding */
	VIEW_BYTES,  /* of the file, or of what `member` decodes to, from offset on: text.  Around a finding */
	VIEW_OPCODE, /* of a pickle, in words: text.  a: it makes the call; the others lead to it */
	N_VIEW_KINDS
};

/* The first are enum extent_kind. */
enum view_range {
	VIEW_RANGE_HEADER,
	VIEW_RANGE_TENSOR,
	VIEW_RANGE_PADDING,
	VIEW_RANGE_MEMBER, /* coded, so that what is inside lies nowhere in the file; or nobody says what it is */
	VIEW_RANGE_METADATA,
	VIEW_RANGE_UNEXPLAINED, /* no format says what it is */
	VIEW_RANGE_UNLISTED,    /* of too many ranges the rest */
	VIEW_N_RANGE_KINDS
};

struct view_record {
	enum view_kind kind;
	uint8_t a, b;
	uint64_t offset, length, number; /* the offset as a finding's */
	struct bytes member, text;
};

extern const uint32_t report_views_max[N_VIEW_KINDS];
#define REPORT_PLACES_MAX 40u /* findings whose bytes are shown */
#define REPORT_PLACE_MEMBER_MAX 256u

/* Where a finding is, for whoever fetches the bytes around it. */
struct report_place {
	uint64_t offset; /* as the finding's */
	size_t member_n;
	uint8_t member[REPORT_PLACE_MEMBER_MAX];
};

/* Counts of one tensor with at least one non-finite or invalid element. */
struct nonfinite {
	struct bytes tensor; /* name: file bytes */
	enum wlk_dtype dtype;
	uint64_t nan, pos_inf, neg_inf, bool_invalid;
	uint64_t first_offset; /* of the first such element; as a finding's */
};

/* Facts a format reports; keys for maps.  X(id, JSON member, keyed). */
#define WLK_FACTS(X)                                                                                                  \
	X(TENSORS_BY_DTYPE, "tensors_by_dtype", true)                                                                 \
	X(METADATA_KEYS, "metadata_keys", false)                                                                      \
	X(HEADER_BYTES, "header_bytes", false)                                                                        \
	X(LFS_OID, "lfs_oid", false)                                                                                  \
	X(LFS_SIZE, "lfs_size", false)                                                                                \
	X(WEIGHTS_ONLY_LOADABLE, "weights_only_loadable", false)                                                      \
	X(TENSORS_LISTED, "tensors_listed", false) /* of a job that wants rows: they are all there are */             \
	X(SPLIT_NO, "split_no", false)                                                                                \
	X(SPLIT_COUNT, "split_count", false)                                                                          \
	X(SPLIT_TENSORS, "split_tensors", false)                                                                      \
	X(INDEX_TOTAL_SIZE, "index_total_size", false)                                                                \
	X(INDEX_TOTAL_PARAMETERS, "index_total_parameters", false)                                                    \
	X(METADATA_FORMAT, "metadata_format", false)                                                                  \
	X(SIGNATURE, "signature", false)             /* of JOB_IDENTIFY: the bytes that decided, ... */               \
	X(SIGNATURE_AT, "signature_at", false)       /* ... and where; */                                             \
	X(DECIDED_BY_NAME, "decided_by_name", false) /* or that content decided nothing */                            \
	X(PUT_OFF, "put_off", false)                 /* of JOB_PART_MEMBER: to be judged once the others were */      \
	X(CONVERTED, "converted", false)             /* of JOB_CONVERT: bytes of the output; ... */                   \
	X(CONVERT_REFUSED, "convert_refused", false) /* ... or why there is none: an enum convert_reason, ... */      \
	X(CONVERT_SUBJECT, "convert_subject", false) /* ... and of what */                                            \
	X(CONFIG_CODE, "config_code", false) /* of a set: the programs that a configuration names, a line each; */    \
	X(CONFIG_INCLUDES, "config_includes", false)       /* ... what it reads as one of its kind: "yaml x.yaml"; */ \
	X(CONFIG_IF_INCLUDED, "config_if_included", false) /* ... of which kind this would be found fault with */     \
	X(CALLS_OMITTED, "calls_omitted", false)           /* of a job that wants calls: more than are listed */

enum wlk_fact {
#define X(id, member, keyed) WLK_FACT_##id,
	WLK_FACTS(X)
#undef X
	    WLK_N_FACTS
};

struct fact {
	enum wlk_fact id;
	struct bytes key; /* for keyed facts */
	struct value value;
};

struct report_totals {
	uint64_t tensors;
	uint64_t elements; /* floating-point elements examined, each exactly once */
	uint64_t nan, pos_inf, neg_inf, bool_invalid;
	uint64_t nonfinite_omitted; /* rows beyond REPORT_NONFINITE_MAX */
};

/* How the reader was chosen; with it, that is what of the engine a report depends on (store/facts_versions.py). */
enum report_chosen {
	REPORT_NAMED,    /* by the name's hint, or nobody reads such a file */
	REPORT_PROBED,   /* its probe was the first to say yes */
	REPORT_RESORTED, /* no probe did; its last resort was the first */
	REPORT_N_CHOSEN
};

/* The last record. */
struct report_final {
	uint64_t size; /* bytes, as the job said and the pass confirmed */
	bool
	    has_digest; /* of a report: the worker took one, as its job said; of finished facts: there is one (facts.h) */
	uint8_t sha256[32];
	enum wlk_format_id format;
	enum wlk_format_id reader; /* whose layout ran; UNKNOWN: nobody's */
	enum report_chosen chosen;
	bool names_idle; /* it would say the same whatever names the policy adds: none was looked for */
	bool complete;
	enum wlk_cause cause; /* NONE unless the scan was stopped */
	uint64_t bytes;       /* read and hashed */
	struct report_totals totals;
	struct bytes media_type; /* libmagic's opinion, or empty */
};

/**
 * report_write_fn - where encoded records go (the worker: a pipe)
 * Return: true when all n bytes were taken.  After false nothing more is written and the scan should end.
 */
typedef bool (*report_write_fn)(void *ctx, const uint8_t *at, size_t n);
/* Milliseconds of a clock that only moves forward; NULL: no progress records. */
typedef uint64_t (*report_clock_fn)(void *ctx);

/* Who converts takes the rows of the source, which are then not sent. */
struct report_taker {
	void *ctx;
	/* Return: false: the scan stops. */
	bool (*row)(void *ctx, const struct manifest_row *row);
	/* Something of the file that does not become a tensor of the output.  @lost: it is one all the same, which may only be
	 * left behind if who asked allows it. */
	void (*leave)(void *ctx, struct bytes name, enum convert_reason why, bool lost);
};

struct report {
	report_write_fn write;
	report_clock_fn clock;
	void *ctx;
	bool failed;                       /* write refused */
	uint64_t per_code[WLK_N_FINDINGS]; /* in all, sent or not */
	uint32_t sent[WLK_N_FINDINGS];
	uint32_t n_findings, n_rows, n_facts; /* sent */
	struct report_totals totals;
	enum wlk_cause cause;
	const struct report_taker *taker;            /* NULL: nobody converts; set after report_init() */
	bool wants_rows, wants_digests, wants_stats; /* as the job says; set after report_init() */
	bool wants_calls;                            /* likewise */
	uint32_t n_calls[N_CALL_STANDINGS];          /* sent */
	uint64_t calls_omitted;
	uint64_t manifest_rows, manifest_bytes; /* sent */
	uint64_t manifest_tensors;              /* those of the rows that are tensors */
	uint64_t manifest_next;                 /* above every index sent so far */
	bool manifest_partial;                  /* a reader knows of tensors that it cannot list */
	uint64_t progress_at_ms;
	bool wants_views; /* as wants_rows */
	bool structure;   /* nobody looks at weights: set after report_init() */
	uint32_t n_views[N_VIEW_KINDS];
	size_t n_places;
	size_t buffered;
	uint8_t buffer[REPORT_RECORD_MAX * 2];
	struct report_place places[REPORT_PLACES_MAX]; /* of findings of some weight, where the job asks for views */
};

void report_init(struct report *r, report_write_fn write, report_clock_fn clock, void *ctx);

/* Is there room for one more of this code?  False means it would only be counted: skip preparing its text. */
bool report_wants(const struct report *r, enum wlk_finding code);

/* One more that report_wants() refused: a file can raise millions, so counting must cost nothing. */
static inline void report_count(struct report *r, enum wlk_finding code)
{
	r->per_code[code]++;
}

void report_finding(struct report *r, const struct finding *f);
/* Shorthands; found and allowed are numbers. */
void report_at(struct report *r, enum wlk_finding code, uint64_t offset);
void report_value(struct report *r, enum wlk_finding code, uint64_t offset, uint64_t found, uint64_t allowed);

/**
 * report_manifest_row() - a row of the manifest, if the job wants them; indexes ascend
 * Return: false: the list would be longer than MANIFEST_BYTES_MAX or MANIFEST_ROWS_MAX, and the scan is stopped with
 * limit-output.
 */
bool report_manifest_row(struct report *r, const struct manifest_row *row);
/* The digest of the tensor of a row, if the job wants them. */
void report_manifest_digest(struct report *r, uint64_t index, const uint8_t sha256[32]);
/* Likewise its statistics. */
void report_manifest_stats(struct report *r, uint64_t index, const struct tensor_stats *s);

/* Is there room for one more, and does the job want it?  False means it would only be counted, as it is now: skip preparing
 * its text. */
bool report_wants_call(struct report *r, enum call_standing standing);
/* @t: with @call's text. */
void report_call(struct report *r, struct call_record call, const struct call_text *t);

/* See the records.  The list: nothing, if there was too much to note. */
void report_pass(struct report *r, const uint8_t digest[32]);
void report_notes(struct report *r, const struct partial_notes *n);
void report_wanted(struct report *r, const struct partial *p);

/* If the job asks for views, and there are not too many of this kind.  Return: false: it is not sent. */
bool report_view(struct report *r, const struct view_record *v);

/* Adds to the totals, and sends the row while there is room. */
void report_nonfinite(struct report *r, const struct nonfinite *row);
void report_fact(struct report *r, const struct fact *f);
void report_fact_number(struct report *r, enum wlk_fact id, uint64_t number);
void report_fact_flag(struct report *r, enum wlk_fact id, bool flag);
void report_progress(struct report *r, uint64_t bytes_done);

/**
 * report_stop() - the scan could not finish
 * Keeps the first cause.  For budgets also raises the limit-* finding of the same name.
 * Return: WLK_INCOMPLETE, to be passed on.
 */
enum wlk_status report_stop(struct report *r, enum wlk_cause cause, uint64_t found, uint64_t allowed);

/* Write the counts of omitted findings and the final record, and flush.  r->totals and r->cause go into it.
 * Return: false when the writer refused anything. */
bool report_end(struct report *r, const struct report_final *final);

static inline struct value value_number(uint64_t n)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = n };
}

static inline struct value value_text(struct bytes b)
{
	return (struct value){ .kind = VALUE_TEXT, .text = b };
}
