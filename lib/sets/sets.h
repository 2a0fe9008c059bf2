/* A set of files against each other: what none of them can show alone.  An index and the shards it names, the parts of a
 * split GGUF, two indexes in one folder, a model and the files its weights are in.  What is known of each file comes in one
 * set document (set_document.h), written by who scanned them; nothing here sees the files.  Follows
 * formats/safetensors-index, sections 3, 4 and 9, formats/gguf, rule 47, and formats/sets, section 5. */
#pragma once

#include "arena.h"
#include "dtype.h"
#include "formats.h"
#include "manifest.h"
#include "report.h"
#include "scan_limits.h"
#include "siphash.h"
#include "source.h"
#include "status.h"

/* What the judge works with.  All borrowed. */
struct set_input {
	struct source *src;  /* the document; before the pass */
	struct arena *arena; /* for everything; its budget is raised, never above lim->memory */
	const struct limits *lim;
	struct siphash_key seed; /* fresh random bytes: names are the attacker's */
	struct report *report;
};

/* Memory for one document, at most lim->memory: what a judge needs whatever the set, and three bytes for each of the
 * document - of a row of 50 bytes and a name, 20 bytes of entry, 8 of hash table and the name, each in a block that grew
 * by doubling. */
#define SET_MEMORY_BASE (UINT64_C(48) << 20)
#define SET_MEMORY_PER_BYTE 3u

/* Rows are read again for each index that speaks about them: so often the document at most, in all. */
#define SET_READINGS_MAX 8u

/**
 * sets_judge() - report what is wrong between the files of a set
 * finding.member is the name of the file of the set that a finding is about, finding.subject the tensor or entry;
 * offsets mean nothing.  Time is linear in the document: rows are read again for each index that speaks about them, and
 * no more than SET_READINGS_MAX documents' worth in all.
 * Return: WLK_DONE; WLK_BROKEN when files contradict each other, so that nobody knows what a loader would make of them;
 * WLK_INCOMPLETE when memory, the reader or the work budget ended it, or when the document is none.
 */
enum wlk_status sets_judge(const struct set_input *in);

/* -- weights in other files -- */

/* What a format asks of the files that its models' weights are in: one row for each such format. */
struct external_rules {
	enum wlk_format_id format;
	enum wlk_finding missing, bounds, overlap, hole, unchecked;
	uint64_t align, padding_max; /* shorter gaps, up to a multiple of align, are a writer's */
	bool own_name;      /* the file has the model's name, with the ending that its rows give instead of a file */
	const char *ending; /* of the model's name, for its loaders go by it; NULL: any */
};

/* One of the ranges that others say are tensors.  @begin < @end, which may lie behind the end of the file. */
struct external_claim {
	struct bytes name; /* valid for the call */
	enum wlk_dtype dtype;
	uint64_t begin, end;
	const struct external_rules *rules; /* of the format whose model says so */
};

struct external_claims {
	void *ctx;
	bool (*take)(void *ctx, const struct external_claim *claim); /* Return: false: the arena is spent */
	/* What came of it: */
	const struct external_rules *rules; /* of the first model that names the file; NULL: none does */
	bool all_known; /* every model of those formats was judged to its end, so no tensor can be missing */
};

/**
 * sets_claims() - what the other members say one of them holds
 * @in: the document, as for sets_judge().  @member: the file's place in it; beyond its members nobody says anything.
 * Ranges come model by model, in the order of their rows.  The rows of each model are read once.
 * Return: false: report_stop() has said why.
 */
bool sets_claims(const struct set_input *in, uint32_t member, struct external_claims *claims);
