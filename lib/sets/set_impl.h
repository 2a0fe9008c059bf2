/* What the parts of the judge share: the members by name and folder, their rows, findings about them. */
#pragma once

#include "intern.h"
#include "sets.h"
#include "set_document.h"

/* What is known of a member besides what the document says. */
struct place {
	uint32_t folder;  /* which one, in set.folders */
	bool referenced;  /* an index names it as a shard */
	bool alternative; /* it was reported as another form of the same model */
};

struct set {
	const struct set_input *in;
	const struct set_member *members;
	struct place *places;   /* as many */
	uint32_t n;             /* of both */
	struct intern names;    /* of the members; value[0]: which */
	struct intern folders;  /* up to and with the last slash, or empty; value[0], [1]: its range of by_folder */
	uint32_t *by_folder;    /* members, folder by folder, in the document's order */
	uint64_t readings_left; /* bytes of rows that may still be read */
	bool contradicts;       /* a finding says that nobody knows what a loader would make of the files */
	bool failed;            /* report_stop() has said why */
};

/* -- members -- */

/* Read the head and sort the members.  Return: false: s->failed. */
bool set_open(struct set *s, const struct set_input *in);

static inline struct bytes set_folder(const struct set *s, uint32_t member)
{
	return intern_text(&s->folders, s->places[member].folder);
}

/* Its name without the folder. */
struct bytes set_base(const struct set *s, uint32_t member);

/**
 * set_find() - the member of this base name in a folder
 * @base: at most MANIFEST_PATH_MAX bytes; one with a slash or backslash is in no folder.
 * Return: INTERN_NONE when there is none.
 */
uint32_t set_find(const struct set *s, uint32_t folder, struct bytes base);

/* Is there anything in the folder of that name?  @base: as of set_find(). */
bool set_is_folder(const struct set *s, uint32_t folder, struct bytes base);

/* A fact of a member; NULL when it has none. */
const struct value *set_fact(const struct set *s, uint32_t member, enum wlk_fact id);

static inline bool set_is_index(const struct set_member *m)
{
	return m->format == WLK_FORMAT_SAFETENSORS_INDEX || m->format == WLK_FORMAT_SHARD_INDEX;
}

/* -- findings -- */

/* @f: all but the member, whose name goes with it. */
void set_finding(struct set *s, uint32_t member, struct finding f);
/* The source, the arena or the document failed.  Return: false. */
bool set_stop(struct set *s);

/* -- rows -- */

/* Return: false: enough. */
typedef bool (*set_row_fn)(void *ctx, const struct manifest_row *row);

/* All rows of a member, in order.  Return: false: s->failed. */
bool set_rows(struct set *s, uint32_t member, set_row_fn fn, void *ctx);

/* -- the rules -- */

/**
 * set_judge_index() - an index against its shards: rules 6, 9 to 14, 16 and 17
 * @first: the folder's first one; it also looks for another form of the same model there.
 * Return: false: s->failed.
 */
bool set_judge_index(struct set *s, uint32_t index, bool first);

/* A folder once its indexes are judged: rules 4 and 7.  Return: false: s->failed. */
bool set_judge_folder(struct set *s, uint32_t folder);

/* The parts of split GGUF files, formats/gguf, rule 47.  Return: false: s->failed. */
bool set_judge_splits(struct set *s);

/* -- weights in other files -- */

extern const struct external_rules external_rules[];
extern const size_t n_external_rules;

#define EXTERNAL_PATH_MAX (SET_NAME_MAX + MANIFEST_PATH_MAX) /* folder and stem are of one name */

/* Is it one of whom the rules speak? */
bool external_is_model(const struct set *s, uint32_t member, const struct external_rules *rules);

/* The path that loaders of @model come to: its folder and the @place that a row gives.  Return: its bytes. */
size_t external_path(const struct set *s, uint32_t model, const struct external_rules *rules, struct bytes place,
    uint8_t path[EXTERNAL_PATH_MAX]);

/* Formats/onnx, section 5, and formats/openvino, section 4.  Return: false: s->failed. */
bool set_judge_externals(struct set *s);

/* Files of weights of TensorFlow.js models.  Return: false: s->failed. */
bool set_judge_tfjs(struct set *s);

/* Checkpoints of TensorFlow and their data files, formats/tensorflow, section 5.  Return: false: s->failed. */
bool set_judge_bundles(struct set *s);

/* Programs that configurations name, formats/configs, section 1.2.  Return: false: s->failed. */
bool set_judge_configs(struct set *s);
