/* What the MessagePack walker tells, as text: for tests that compare it. */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "msgpack.h"
#include "part.h"

struct msgpack_log {
	char *text; /* of `room` bytes; what does not fit is left out, and n is above room then */
	size_t n, room;
	bool offsets; /* say them, too */
	int enter;    /* extensions of this type are entered */
	unsigned stop_after, events;
};

static inline bool log_put(struct msgpack_log *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool log_put(struct msgpack_log *l, const char *format, ...)
{
	size_t left = l->n < l->room ? l->room - l->n : 0;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(left > 0 ? l->text + l->n : NULL, left, format, args);
	va_end(args);
	l->n += (size_t)n;
	return true;
}

static inline bool log_event(struct msgpack_log *l, uint64_t offset)
{
	if (l->offsets)
		log_put(l, "@%" PRIu64, offset);
	log_put(l, " ");
	return ++l->events != l->stop_after;
}

static inline bool log_scalar(void *ctx, const struct msgpack_object *o)
{
	static const char *const kinds[] = { "nil", "bool", "int", "f32", "f64" };

	if (o->negative)
		log_put(ctx, "%s%s=%" PRId64, o->is_key ? "key:" : "", kinds[o->kind], (int64_t)o->value);
	else
		log_put(ctx, "%s%s=%" PRIu64, o->is_key ? "key:" : "", kinds[o->kind], o->value);
	return log_event(ctx, o->offset);
}

static inline bool log_open(void *ctx, const struct msgpack_object *o)
{
	log_put(ctx, "%s%c%" PRIu64, o->is_key ? "key:" : "", o->kind == MSGPACK_MAP ? '{' : '[', o->n);
	return log_event(ctx, o->offset);
}

static inline bool log_close(void *ctx, unsigned depth, uint64_t offset)
{
	log_put(ctx, "/%u", depth);
	return log_event(ctx, offset);
}

static inline enum msgpack_take log_data(void *ctx, const struct msgpack_object *o)
{
	struct msgpack_log *l = ctx;

	if (o->kind == MSGPACK_EXT)
		log_put(l, "%sext%d+%" PRIu64, o->is_key ? "key:" : "", o->type, o->n);
	else
		log_put(l, "%s%s+%" PRIu64, o->is_key ? "key:" : "", o->kind == MSGPACK_STR ? "str" : "bin", o->n);
	if (!log_event(l, o->offset))
		return MSGPACK_STOP;
	if (o->kind == MSGPACK_EXT && o->type == l->enter)
		return MSGPACK_ENTER;
	return o->kind == MSGPACK_EXT ? MSGPACK_SKIP : MSGPACK_PIECES;
}

static inline uint64_t log_piece(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct msgpack_log *l = ctx;

	for (size_t i = 0; i < n; i++)
		log_put(l, "%02x", at[i]);
	return offset + n;
}

static inline bool log_data_end(void *ctx)
{
	log_put(ctx, ".");
	return log_event(ctx, 0);
}

static inline bool log_error(void *ctx, enum msgpack_error e, uint64_t offset, bool inside, uint64_t found)
{
	log_put(ctx, "!%d%s:%" PRIu64, (int)e, inside ? "i" : "", found);
	return log_event(ctx, offset);
}

/* Walks @n bytes in pieces of @piece.  Return: msgpack_finish(). */
static inline bool msgpack_log_walk(struct msgpack_log *l, const uint8_t *at, size_t n, size_t piece)
{
	const struct msgpack_handler handler = { l, log_scalar, log_open, log_close, log_data, log_piece, log_data_end,
		log_error };
	static struct msgpack_walker w;
	uint64_t next = 0;

	msgpack_begin(&w, n, &handler);
	while (next < n) {
		size_t size = piece < n - next ? piece : n - (size_t)next;

		next = msgpack_feed(&w, at + next, size, next);
	}
	return msgpack_finish(&w);
}
