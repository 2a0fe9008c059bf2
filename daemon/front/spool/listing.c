/* See listing.h. */
#include "listing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory_file.h"
#include "tensors_json.h"

#define END_MAX 16 /* bytes that open a list behind the text */

struct listing {
	char *begin; /* the text up to its closing brace, and what comes before the list */
	size_t begin_n, begin_at;
	struct rows *rows;
	struct tensors_json *tensors; /* NULL: none, or all written */
	int fd;
	struct listing_range *ranges;
	size_t n_ranges, next_range;
	uint64_t range_at; /* of the next one: what is written */
	void (*release)(void *ctx);
	void *ctx;
	const char *end; /* what is left of it */
};

struct listing *listing_new(const char *text)
{
	struct listing *l = calloc(1, sizeof(*l));
	size_t n = strlen(text);

	assert(n > 2 && text[0] == '{' && text[n - 1] == '}');
	if (l == NULL)
		return NULL;
	l->begin = malloc(n + END_MAX);
	if (!l->begin) {
		free(l);
		return NULL;
	}
	l->begin_n = n - 1;
	memcpy(l->begin, text, l->begin_n);
	l->end = "}";
	return l;
}

void listing_free(struct listing *l)
{
	if (l == NULL)
		return;
	tensors_json_free(l->tensors);
	rows_free(l->rows);
	if (l->release)
		l->release(l->ctx);
	free(l->ranges);
	free(l->begin);
	free(l);
}

static void add_to_begin(struct listing *l, const char *text)
{
	size_t n = strlen(text);

	assert(n <= END_MAX);
	memcpy(l->begin + l->begin_n, text, n);
	l->begin_n += n;
}

bool listing_add_rows(struct listing *l, struct rows *rows, bool listed)
{
	l->rows = rows;
	l->tensors = tensors_json_new(rows_at(rows), listed);
	add_to_begin(l, ",");
	return l->tensors != NULL;
}

void listing_add_files(
    struct listing *l, int fd, struct listing_range *ranges, size_t n, void (*release)(void *ctx), void *ctx)
{
	l->fd = fd;
	l->ranges = ranges;
	l->n_ranges = n;
	l->release = release;
	l->ctx = ctx;
	add_to_begin(l, ",\"files\":[");
	l->end = "]}";
}

static size_t least(size_t a, uint64_t b)
{
	return b < a ? (size_t)b : a;
}

static ssize_t read_begin(struct listing *l, char *buf, size_t n)
{
	n = least(n, l->begin_n - l->begin_at);
	memcpy(buf, l->begin + l->begin_at, n);
	l->begin_at += n;
	return (ssize_t)n;
}

static ssize_t read_tensors(struct listing *l, char *buf, size_t n)
{
	ssize_t r = l->tensors ? tensors_json_read(l->tensors, buf, n) : 0;

	if (r == 0) {
		tensors_json_free(l->tensors);
		l->tensors = NULL;
	}
	return r;
}

static ssize_t read_files(struct listing *l, char *buf, size_t n)
{
	const struct listing_range *range = &l->ranges[l->next_range];
	int r;

	if (l->next_range == l->n_ranges)
		return 0;
	n = least(n, range->n - l->range_at);
	r = memory_file_read(l->fd, buf, n, range->at + l->range_at);
	if (r < 0)
		return r;
	l->range_at += n;
	if (l->range_at == range->n) {
		l->next_range++;
		l->range_at = 0;
	}
	return (ssize_t)n;
}

static ssize_t read_end(struct listing *l, char *buf, size_t n)
{
	n = least(n, strlen(l->end));
	memcpy(buf, l->end, n);
	l->end += n;
	return (ssize_t)n;
}

ssize_t listing_read(struct listing *l, char *buf, size_t n)
{
	static ssize_t (*const parts[])(
	    struct listing *, char *, size_t) = { read_begin, read_tensors, read_files, read_end };
	size_t done = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && done < n;) {
		ssize_t r = parts[i](l, buf + done, n - done);

		if (r < 0)
			return r;
		done += (size_t)r;
		i += r == 0;
	}
	return (ssize_t)done;
}

size_t listing_held(const struct listing *l)
{
	return l->begin_n + l->n_ranges * sizeof(*l->ranges);
}
