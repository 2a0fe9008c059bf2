/* The configuration of a Keras model: JSON in which every object may name a class, a function and the module it comes
 * from, which loaders import, build and call.  Follows formats/keras-hdf5, sections 2.1, 2.2 and 3. */
#pragma once

#include "format.h"
#include "json_text.h"

#define KERAS_CONFIG_MAX ((uint64_t)64 << 20) /* bytes: K2 */
#define KERAS_DEPTH_MAX 64u                   /* of JSON: K3 */

/**
 * keras_config_check() - judge every object in it, wherever it is nested
 * @text: in memory.  @at: its offset in the part, for findings.
 * Return: WLK_DONE also with findings; WLK_BROKEN: no JSON, so nothing is proven; WLK_INCOMPLETE.
 */
enum wlk_status keras_config_check(struct layout *l, struct bytes text, uint64_t at);

/* -- keras_rules.c, for keras_config.c -- */

/* The first 96 characters of a string, decoded; longer ones are none of the names that matter. */
#define KERAS_WORD_MAX 96u
struct keras_word {
	uint8_t at[KERAS_WORD_MAX];
	uint8_t n;
	bool set, cut;
};

/* What Lambda's `function` is.  OWN: a name that the program which loads the model has to supply, for no module is named. */
enum keras_function {
	KERAS_NO_FUNCTION,
	KERAS_FUNCTION_CODE,
	KERAS_FUNCTION_NAMED,
	KERAS_FUNCTION_OWN,
	KERAS_FUNCTION_OPERATION
};

/* An object that is open, with what its members said so far. */
struct keras_object {
	uint64_t at;
	bool is_array;
	struct keras_word key; /* of the member being read */
	struct keras_word class_name, module, registered_name, spec_name;
	struct keras_word config_text;   /* `config` when it is a string */
	struct keras_word function_text; /* `function` when it is */
	struct keras_word config_function_text;
	struct keras_word op;                /* what a node says of itself */
	struct keras_word node;              /* the operation in a TensorFlow node, `node_def` */
	struct keras_word config_node;       /* that of its `config` */
	bool odd_class, odd_module;          /* given, and no string */
	bool other_module;                   /* of one of its members a module is named (old Lambda) */
	bool lambda_type;                    /* says of one of its members that it is code */
	enum keras_function function;        /* its own `function` */
	enum keras_function config_function; /* that of its `config` */
	bool vocabulary_path, config_vocabulary_path;
	uint32_t names_base;
};

static inline bool keras_word_is(const struct keras_word *w, const char *text)
{
	return w->set && !w->cut && bytes_equal(bytes_of(w->at, w->n), bytes_of_text(text));
}

/* All of it was read: what does it load, build or call? */
void keras_judge_object(struct layout *l, const struct keras_object *o);
/* A string anywhere: paths and hidden code. @decoded: its beginning.  @n: bytes of the whole. */
void keras_judge_text(struct layout *l, struct bytes decoded, uint64_t n, uint64_t at);
/* Is that, the beginning of a string, code or a pickle as it stands? */
bool keras_is_raw_code(struct bytes decoded);
/* keras_show.c: for who asked for calls, of a string that is code.  @base64: else it stands there as it is. */
void keras_show_code(struct layout *l, const struct json_text *text, bool base64, uint64_t at);
/* @decoded: all of the name, or a run of it; every byte but the first of a run goes with the one before it. */
bool keras_is_sound_name(struct bytes decoded, bool first);
/* The operation that a TensorFlow node (text, or JSON in a string) runs; unset when there is none. */
void keras_find_node(struct bytes decoded, struct keras_word *ret);
/* Is a function of this module and name an operation of Keras? */
bool keras_is_operation(const struct keras_word *module, const struct keras_word *name);
