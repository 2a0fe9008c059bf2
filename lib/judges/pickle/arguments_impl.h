/* Between the files that judge arguments; nobody else's: what a value is, and arguments by position. */
#pragma once

#include <string.h>

#include "arguments.h"
#include "checked.h"

/* -- what a value is -- */

static inline bool text_is(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

static inline bool global_is(const struct pickle *p, pickle_value v, const char *module, const char *name)
{
	struct bytes m, n;

	return v != PICKLE_NO_VALUE && pickle_kind(p, v) == PICKLE_GLOBAL && pickle_global_mapped(p, v, &m, &n) &&
	       text_is(m, module) && text_is(n, name);
}

/* -- arguments, by position -- */

static inline uint64_t n_args(const struct pickle_context *c)
{
	return pickle_count(c->machine, c->event->args);
}

/* PICKLE_NO_VALUE beyond the last one. */
static inline pickle_value arg(const struct pickle_context *c, uint64_t i)
{
	return i < n_args(c) ? pickle_item(c->machine, c->event->args, i) : PICKLE_NO_VALUE;
}

static inline enum pickle_kind kind_of(const struct pickle_context *c, pickle_value v)
{
	return v == PICKLE_NO_VALUE ? PICKLE_UNKNOWN : pickle_kind(c->machine, v);
}

static inline enum pickle_kind kind(const struct pickle_context *c, uint64_t i)
{
	return kind_of(c, arg(c, i));
}

static inline bool is_inert(const struct pickle_context *c, uint64_t i)
{
	pickle_value v = arg(c, i);

	return v != PICKLE_NO_VALUE && pickle_inert(c->machine, v);
}

/* Bytes as any protocol writes them: protocols below 3 spell them _codecs.encode(text, "latin1"). */
static inline bool is_bytes_value(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind k = kind_of(c, v);

	return k == PICKLE_BYTES || k == PICKLE_BYTEARRAY || k == PICKLE_STR ||
	       (k == PICKLE_OBJECT && (pickle_made_by(c->machine, v, "_codecs", "encode") ||
					  pickle_made_by(c->machine, v, "builtins", "bytes") ||
					  pickle_made_by(c->machine, v, "builtins", "bytearray")));
}

static inline bool is_bytes(const struct pickle_context *c, uint64_t i)
{
	return is_bytes_value(c, arg(c, i));
}

/* A list, tuple, dict or set that stands in this pickle as such: going through it costs no more than its opcodes. */
static inline bool is_container_value(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind k = kind_of(c, v);

	return k == PICKLE_LIST || k == PICKLE_TUPLE || k == PICKLE_DICT || k == PICKLE_SET || k == PICKLE_FROZENSET;
}

static inline bool is_container(const struct pickle_context *c, uint64_t i)
{
	return is_container_value(c, arg(c, i));
}

static inline bool is_build(const struct pickle_context *c)
{
	return c->event->act == PICKLE_ACT_BUILD;
}

static inline bool all_args(const struct pickle_context *c, bool (*fits)(const struct pickle_context *, uint64_t))
{
	for (uint64_t i = 0; i < n_args(c); i++)
		if (!fits(c, i))
			return false;
	return true;
}

static inline bool is_text(const struct pickle_context *c, uint64_t i)
{
	return kind(c, i) == PICKLE_STR;
}

static inline bool text_among(const struct pickle_context *c, uint64_t i, const char *const *list)
{
	struct bytes text;

	if (!is_text(c, i) || !pickle_text(c->machine, arg(c, i), &text))
		return false;
	for (; *list != NULL; list++)
		if (text_is(text, *list))
			return true;
	return false;
}

static inline bool is_plain(const struct pickle_context *c, uint64_t i)
{
	return is_inert(c, i) && !is_container(c, i);
}

static inline uint64_t dtype_facts(const struct pickle_context *c, pickle_value v)
{
	uint64_t facts;

	return object_map_get(c->dtypes, v, &facts) ? facts : DTYPE_OF_OBJECTS | DTYPE_USED;
}

static inline bool is_dtype_value(const struct pickle_context *c, pickle_value v)
{
	uint64_t facts;

	return kind_of(c, v) == PICKLE_OBJECT && object_map_get(c->dtypes, v, &facts);
}

/* The constant whose bytes these are: itself, or the text that _codecs.encode() is given; PICKLE_NO_VALUE: not known. */
static inline pickle_value argument_bytes_of(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind k = kind_of(c, v);

	if (k == PICKLE_BYTES || k == PICKLE_STR)
		return v;
	return k == PICKLE_OBJECT && pickle_made_by(c->machine, v, "_codecs", "encode")
		   ? pickle_item(c->machine, pickle_call_arguments(c->machine, v), 0)
		   : PICKLE_NO_VALUE;
}

/* -- the rules that other files hold: PICKLE_RULES -- */

bool rule_dtype(const struct pickle_context *c);
bool rule_ndarray(const struct pickle_context *c);
bool rule_masked(const struct pickle_context *c);
bool rule_scalar(const struct pickle_context *c);
bool rule_frombuffer(const struct pickle_context *c);
bool rule_array_wrapper(const struct pickle_context *c);
bool rule_object(const struct pickle_context *c);
bool rule_granted_call(const struct pickle_context *c);
bool rule_member(const struct pickle_context *c);

/* Is this numpy.ma.core._mareconstruct(), or what it made?  It makes an instance of any class of that library, whose state
 * is one of an array: see rule_masked(). */
bool argument_is_masked(const struct pickle_context *c);

/* Is this global of the library that the called one is of? */
bool argument_is_of_library(const struct pickle_context *c, pickle_value callee, pickle_value global);
