/* JSON that is not a header but the file: configurations, vocabularies, indices nobody else reads.  Read strictly and once;
 * a side file when nothing in it is a model or asks for something to be called (formats/others, Decisions 2 and 3). */
#pragma once

#include "format.h"

extern const struct wlk_format format_json;

#define JSON_MODEL_KEYS 2

/* JSON that is a model for some runtime, or part of one: known by the names of its outermost object, whatever it is called.
 * A value, as a format is one (format.h): its family defines it, and the table of formats lists it. */
struct json_model {
	enum wlk_format_id id;             /* UNKNOWN: it gives the file no name */
	const char *keys[JSON_MODEL_KEYS]; /* all of them are there; NULL: none */
	bool number;                       /* the keys may have a number as value, as words of a vocabulary have */
	/* @text: all of the file, strict JSON, which an extent describes.  Return: WLK_DONE, also with findings, when all of it
	 * is understood; WLK_BROKEN; WLK_INCOMPLETE.  NULL: it is named, and held. */
	enum wlk_status (*check)(struct layout *l, struct bytes text);
};

extern const struct json_model *const json_models[];
extern const size_t json_n_models;
#define JSON_MODELS_MAX 32 /* a bit for each key */

/* A file whose name says that it is JSON.  @as: and which model, may be NULL. */
enum wlk_status json_file_layout(struct layout *l, const struct json_model *as);

/* Judge configurations that another reader looks into as well, all of the part.  It is described by an extent already. */
enum wlk_status json_file_check(struct layout *l, struct bytes text);
