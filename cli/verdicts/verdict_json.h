/* What can be learned from a verdict that somebody else made. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "facts.h"
#include "verdict.h"

/* A text in it; "" where there is none. */
const char *verdict_member(const json_t *object, const char *member);
/* Is it a verdict about a set (weighlock.set/1)? */
bool verdict_is_set(const json_t *verdict);
/* The word of its "verdict"; VERDICT_ERROR for any other. */
enum verdict_value verdict_value_of(const json_t *verdict);
/* What gates go by: what people have made of it, where it says so. */
enum verdict_value verdict_effective_of(const json_t *verdict);
/* Does it show that its file speaks about others? */
bool verdict_speaks_of_others(const json_t *verdict);
/* As much of the facts as a verdict tells: the final record's. */
void verdict_facts(const json_t *verdict, struct facts *ret);
