/* What somebody meant who typed something else. */
#pragma once

#include <stddef.h>

struct nearest {
	const char *typed;
	const char *best; /* NULL: nothing is near so far */
	size_t distance;  /* of the best */
};

/* @typed: borrowed.  One after the other; among the equally near the first wins. */
void nearest_init(struct nearest *n, const char *typed);
void nearest_try(struct nearest *n, const char *candidate);

/* "; did you mean '--NAME'?", with @before in front of the name; "" when nothing is near. */
#define NEAREST_QUESTION_MAX 128
const char *nearest_question(const struct nearest *n, const char *before, char buf[NEAREST_QUESTION_MAX]);
/* The same among @names, ended by NULL. */
const char *nearest_of(const char *typed, const char *const *names, char buf[NEAREST_QUESTION_MAX]);
