/* See nearest.h. */
#include "nearest.h"

#include <string.h>

#define LENGTH_MAX 63u   /* longer than any name of ours; what is longer is near none */
#define BEGINNING_MIN 3u /* letters that may stand for a whole name */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance, one row at a time.  Both at most LENGTH_MAX bytes. */
static size_t distance(const char *a, const char *b)
{
	size_t row[LENGTH_MAX + 1];
	size_t n_b = strlen(b);

	for (size_t j = 0; j <= n_b; j++)
		row[j] = j;
	for (size_t i = 0; a[i] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n_b; j++) {
			size_t substituted = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			row[j + 1] = least(substituted, least(row[j], row[j + 1]) + 1);
		}
	}
	return row[n_b];
}

void nearest_init(struct nearest *n, const char *typed)
{
	size_t length = strlen(typed);

	/* Two slips, of a long name one in five letters; a letter must have been meant. */
	*n = (struct nearest){ .typed = typed, .distance = least(1 + (length > 10 ? length / 5 : 2), length) };
}

void nearest_try(struct nearest *n, const char *candidate)
{
	size_t length = strlen(n->typed), d;

	if (length > LENGTH_MAX || strlen(candidate) > LENGTH_MAX)
		return;
	d = length >= BEGINNING_MIN && strncmp(candidate, n->typed, length) == 0 ? 1 : distance(n->typed, candidate);
	if (d >= n->distance)
		return;
	n->distance = d;
	n->best = candidate;
}

/* Return: where the next text goes; what does not fit is left out. */
static size_t put(char buf[NEAREST_QUESTION_MAX], size_t at, const char *text)
{
	size_t n = least(strlen(text), NEAREST_QUESTION_MAX - 1 - at);

	memcpy(buf + at, text, n);
	buf[at + n] = '\0';
	return at + n;
}

const char *nearest_question(const struct nearest *n, const char *before, char buf[NEAREST_QUESTION_MAX])
{
	size_t at = 0;

	buf[0] = '\0';
	if (n->best == NULL)
		return buf;
	at = put(buf, at, "; did you mean '");
	at = put(buf, at, before);
	at = put(buf, at, n->best);
	(void)put(buf, at, "'?");
	return buf;
}

const char *nearest_of(const char *typed, const char *const *names, char buf[NEAREST_QUESTION_MAX])
{
	struct nearest n;

	nearest_init(&n, typed);
	for (; *names != NULL; names++)
		nearest_try(&n, *names);
	return nearest_question(&n, "", buf);
}
