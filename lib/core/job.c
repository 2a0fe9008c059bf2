/* A job on its way into the jail: u8 version, u64 size, u8 kind, u8 hint, u8 arriving, u8 task, u8 rows, u8 digests (1) and statistics (2), u8 undigested, u8 calls, u8 views, u8 input, u8 part, u64 size of a document, u32 member, u8 family, u64 bytes of an output, u8 leave (1) and twice the type that floats become, u32 bytes of names, then a u64 a
 * limit in the order of the table in limits.h, and the names; little endian.  The decoder is strict though the front is
 * trusted: a version skew between the two programs must end as an error, never as a scan with other limits. */
#include "bytes.h"
#include "job.h"
#include "set_document.h"

#define JOB_VERSION 10

#define COUNT_LIMIT_(field, name, value, unit, reason) +1
enum {
	JOB_LIMITS = 0 WLK_LIMITS(COUNT_LIMIT_),
	JOB_PART_AT = 1 + 8 + 1 + 1 + 1 + 7,
	JOB_FAMILY_AT = JOB_PART_AT + 1 + 8 + 4,
	JOB_OUTPUT_AT = JOB_FAMILY_AT + 1,
	JOB_NAMES_AT = JOB_OUTPUT_AT + 8 + 1,
	JOB_LIMITS_AT = JOB_NAMES_AT + 4,
	JOB_BYTES = JOB_LIMITS_AT + 8 * JOB_LIMITS,
};

_Static_assert(JOB_BYTES < JOB_BYTES_MAX, "the job does not fit its buffer");
_Static_assert(WLK_N_DTYPES <= 128, "a type does not fit beside a flag");
_Static_assert(WLK_N_FORMATS <= 256, "the hint does not fit its byte");

size_t job_encode(const struct job *job, uint8_t buf[JOB_BYTES_MAX])
{
	uint8_t *at = buf;

	at[0] = JOB_VERSION;
	store_u64le(at + 1, job->size);
	at[9] = (uint8_t)job->kind;
	at[10] = (uint8_t)job->hint;
	at[11] = job->arriving;
	at[12] = (uint8_t)job->task;
	at[13] = job->rows;
	at[14] = (uint8_t)(job->digests | job->stats << 1);
	at[15] = (uint8_t)((job->undigested ? 1 : 0) | (job->noted ? 2 : 0));
	at[16] = job->calls;
	at[17] = job->views;
	at[18] = (uint8_t)job->input;
	at[JOB_PART_AT] = (uint8_t)job->part;
	store_u64le(at + JOB_PART_AT + 1, job->document_size);
	store_u32le(at + JOB_PART_AT + 9, job->member);
	at[JOB_FAMILY_AT] = (uint8_t)job->family;
	store_u64le(at + JOB_OUTPUT_AT, job->output_max);
	at[JOB_OUTPUT_AT + 8] = (uint8_t)(job->leave | job->cast << 1);
	store_u32le(at + JOB_NAMES_AT, (uint32_t)job->pickle_names.lines.n);
	at += JOB_LIMITS_AT;
#define X(field, name, value, unit, reason) \
	store_u64le(at, job->limits.field); \
	at += 8;
	WLK_LIMITS(X)
#undef X
	return (size_t)(at - buf);
}

static bool limits_are_lower(const struct limits *lim)
{
#define X(field, name, value, unit, reason) \
	if (lim->field > (value))           \
		return false;
	WLK_LIMITS(X)
#undef X
	return true;
}

static bool document_is_sound(const struct job *job)
{
	if (job->document_size == 0)
		return job->member == 0;
	if (job->task == JOB_STRUCTURE)
		return job->member == 0 && job->document_size <= PARTIAL_DOCUMENT_MAX;
	return job->part == JOB_PART_MEMBER_AGAIN && job->document_size <= SET_BYTES_MAX &&
	       job->member < SET_MEMBERS_MAX;
}

/* An output has a quota, and nothing else has one. */
static bool output_is_sound(const struct job *job)
{
	if (job->task != JOB_CONVERT)
		return job->output_max == 0 && !job->leave && job->cast == WLK_DTYPE_NONE;
	return job->output_max > 0 && job->output_max <= INT64_MAX && job->rows && job->digests &&
	       (!job->arriving || job->input != JOB_INPUT_FILE) && job->document_size == 0 &&
	       job->part != JOB_PART_MEMBER_AGAIN;
}

/* What is left to others is what cannot change, or what is seen as others see it; and one that fills the input hashes it. */
static bool input_is_sound(const struct job *job)
{
	if (job->task == JOB_STRUCTURE) /* nobody takes one */
		return job->input == JOB_INPUT_FILE && job->undigested && !job->arriving && !job->digests &&
		       job->part == JOB_PART_ALONE;
	switch (job->input) {
	case JOB_INPUT_FILE: return !job->undigested || job->kind == SOURCE_IMMUTABLE;
	case JOB_INPUT_COPY: return job->undigested && job->arriving && job->kind == SOURCE_IMMUTABLE;
	case JOB_INPUT_FLOW: return job->undigested && job->arriving && job->kind == SOURCE_MUTABLE;
	default: return false;
	}
}

bool job_decode(const uint8_t *at, size_t n, struct job *ret)
{
	struct job job;

	if (n < JOB_BYTES || n - JOB_BYTES != load_u32le(at + JOB_NAMES_AT) || at[0] != JOB_VERSION ||
	    at[9] > SOURCE_MUTABLE || at[10] >= WLK_N_FORMATS || at[11] > 1 || at[12] >= JOB_N_KINDS || at[13] > 1 ||
	    at[14] > 3 * at[13] || at[15] > 3 || at[16] > 1 || at[17] > at[16] || at[18] >= JOB_N_INPUTS ||
	    at[JOB_PART_AT] >= JOB_N_PARTS || at[JOB_FAMILY_AT] >= CONFIG_N_FAMILIES ||
	    at[JOB_OUTPUT_AT + 8] >> 1 >= WLK_N_DTYPES)
		return false;
	job = (struct job){
		.size = load_u64le(at + 1),
		.kind = (enum source_kind)at[9],
		.hint = (enum wlk_format_id)at[10],
		.arriving = at[11] != 0,
		.task = (enum job_kind)at[12],
		.rows = at[13] != 0,
		.digests = (at[14] & 1) != 0,
		.stats = (at[14] & 2) != 0,
		.undigested = (at[15] & 1) != 0,
		.noted = (at[15] & 2) != 0,
		.calls = at[16] != 0,
		.views = at[17] != 0,
		.input = (enum job_input)at[18],
		.part = (enum job_part)at[JOB_PART_AT],
		.document_size = load_u64le(at + JOB_PART_AT + 1),
		.member = load_u32le(at + JOB_PART_AT + 9),
		.family = (enum config_family)at[JOB_FAMILY_AT],
		.output_max = load_u64le(at + JOB_OUTPUT_AT),
		.leave = (at[JOB_OUTPUT_AT + 8] & 1) != 0,
		.cast = (enum wlk_dtype)(at[JOB_OUTPUT_AT + 8] >> 1),
		.pickle_names = { bytes_of(at + JOB_BYTES, n - JOB_BYTES) },
	};
	if (job.size > INT64_MAX || (job.noted && job.task != JOB_FILE) || !document_is_sound(&job) ||
	    !output_is_sound(&job) || !input_is_sound(&job)) /* beyond what pread(2) can name */
		return false;
	at += JOB_LIMITS_AT;
#define X(field, name, value, unit, reason) \
	job.limits.field = load_u64le(at);  \
	at += 8;
	WLK_LIMITS(X)
#undef X
	if (!limits_are_lower(&job.limits) || !pickle_names_valid(job.pickle_names.lines))
		return false;
	*ret = job;
	return true;
}
