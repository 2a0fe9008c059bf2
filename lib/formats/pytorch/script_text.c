/* Implements script_text.h. */
#include "script_text.h"

#include <string.h>

#include "checked.h"
#include "script_names.h"

void script_begin(struct script_text *s, struct report *report, struct bytes member, uint64_t origin)
{
	*s = (struct script_text){ .answer = SCRIPT_KNOWN };
	script_show_begin(&s->show, report, member, origin);
}

/* As much of it as there is room for.  Return: behind it. */
static char *put(char *at, const char *end, const char *text)
{
	size_t n = (size_t)min_u64(strlen(text), (uint64_t)(end - at));

	memcpy(at, text, n);
	return at + n;
}

/* The first of the worst is what is told. */
static void answer(struct script_text *s, enum script_answer a, uint64_t at, const char *what, const char *name)
{
	const char *end = s->about + sizeof(s->about) - 1;

	script_show_fault(&s->show, a == SCRIPT_ACTS ? CALL_DANGEROUS : CALL_DOUBTFUL);
	if (a <= s->answer)
		return;
	s->answer = a;
	s->at = at;
	*put(put(s->about, end, what), end, name) = '\0';
}

/* What the writer does not spell: where the next token begins is anybody's guess. */
static void give_up(struct script_text *s, uint64_t at, const char *what)
{
	answer(s, SCRIPT_UNKNOWN, at, what, "");
	s->done = true;
}

/* -- names -- */

static void judge_operator(struct script_text *s, const char *name, bool own)
{
	switch (script_operator_of(name)) {
	case OPERATOR_KNOWN: return;
	case OPERATOR_ACTS: answer(s, SCRIPT_ACTS, s->begin, "", name); return;
	case OPERATOR_OTHER: answer(s, SCRIPT_UNKNOWN, s->begin, "", name); return;
	case OPERATOR_NONE: break;
	}
	if (!own) /* of an archive's own, or of a class: no operator has this name */
		answer(s, SCRIPT_UNKNOWN, s->begin, "torch.", name);
}

/* ops.image.read_file: other libraries' operators work when these are loaded. */
static void judge_namespaced(struct script_text *s, const char *name)
{
	if (s->path == PATH_NAMESPACE && s->prim) {
		if (!script_is_prim(name))
			answer(s, SCRIPT_UNKNOWN, s->begin, "ops.prim.", name);
	} else if (s->path == PATH_NAMESPACE) {
		judge_operator(s, name, false);
	} else if (strcmp(name, "read_file") == 0 || strcmp(name, "write_file") == 0) {
		answer(s, SCRIPT_ACTS, s->begin, "", name);
	}
}

static enum script_path judge_namespace(struct script_text *s, const char *name)
{
	s->prim = strcmp(name, "prim") == 0;
	if (s->prim || strcmp(name, "aten") == 0)
		return PATH_NAMESPACE;
	answer(s, script_namespace_acts(name) ? SCRIPT_ACTS : SCRIPT_UNKNOWN, s->begin, "ops.", name);
	return PATH_OTHER;
}

/* Custom classes are C++ that some library registered, and what their states do nobody knows. */
static enum script_path judge_own(struct script_text *s, const char *name)
{
	if (s->path == PATH_OWN_TORCH && strcmp(name, "classes") == 0)
		answer(s, SCRIPT_UNKNOWN, s->begin, "__torch__.torch.", name);
	judge_operator(s, name, true);
	return s->path == PATH_OWN && strcmp(name, "torch") == 0 ? PATH_OWN_TORCH : PATH_OWN_MORE;
}

static void judge_attribute(struct script_text *s, const char *name)
{
	switch (s->path) {
	case PATH_TORCH:
		judge_operator(s, name, false);
		s->path = PATH_END;
		return;
	case PATH_OPS: s->path = judge_namespace(s, name); return;
	case PATH_NAMESPACE:
	case PATH_OTHER:
		judge_namespaced(s, name);
		s->path = PATH_END;
		return;
	case PATH_OWN:
	case PATH_OWN_TORCH:
	case PATH_OWN_MORE: s->path = judge_own(s, name); return;
	case PATH_NONE:
	case PATH_END: break;
	}
	judge_operator(s, name, true);
	s->path = PATH_END;
}

static void judge_bare(struct script_text *s, const char *name)
{
	if (script_is_word(name))
		answer(s, SCRIPT_UNKNOWN, s->begin, "", name);
	s->path = strcmp(name, "torch") == 0       ? PATH_TORCH
		  : strcmp(name, "ops") == 0       ? PATH_OPS
		  : strcmp(name, "__torch__") == 0 ? PATH_OWN
						   : PATH_END;
	if (!s->defines) {
		memcpy(s->bare, name, strlen(name) + 1);
		s->bare_at = s->begin;
	}
	s->defines = strcmp(name, "def") == 0 || strcmp(name, "class") == 0;
}

/* -- tokens -- */

/* torch, ops and __torch__ lead somewhere, or they would be handed on under another name. */
static void end_path(struct script_text *s)
{
	if (s->path == PATH_TORCH || s->path == PATH_OPS || s->path == PATH_NAMESPACE || s->path == PATH_OTHER ||
	    s->path == PATH_OWN || s->path == PATH_OWN_TORCH)
		answer(s, SCRIPT_UNKNOWN, s->begin, "a namespace as a value", "");
	s->path = PATH_NONE;
}

/* getattr(x.y, "name"): the text is a name like any other. */
static void follow_getattr(struct script_text *s, enum script_token kind, char sign)
{
	if (s->getattr == 1 && (kind == TOKEN_NAME || sign == '.'))
		return;
	if (s->getattr == 1 && sign == ',') {
		s->getattr = 2;
		return;
	}
	if (s->getattr == 2 && kind == TOKEN_TEXT && !s->escapes)
		judge_operator(s, s->token, true);
	else
		answer(s, SCRIPT_UNKNOWN, s->begin, "getattr", "");
	s->getattr = 0;
}

/* Under another name it would take texts that nobody looks at. */
static void check_getattr(struct script_text *s)
{
	if (strcmp(s->bare, "getattr") == 0)
		answer(s, SCRIPT_UNKNOWN, s->bare_at, "getattr", "");
}

static void take_sign(struct script_text *s, char sign, uint64_t offset)
{
	s->begin = offset;
	if (sign != '(')
		check_getattr(s);
	if (s->getattr != 0)
		follow_getattr(s, TOKEN_SIGN, sign);
	if (sign != '.')
		end_path(s);
	if (sign == '(' && s->bare[0] != '\0') {
		if (!script_is_callable(s->bare) && s->last == TOKEN_NAME)
			answer(s, SCRIPT_UNKNOWN, s->bare_at, "call of ", s->bare);
		s->getattr = s->last == TOKEN_NAME && strcmp(s->bare, "getattr") == 0 ? 1 : 0;
	}
	s->bare[0] = '\0';
	s->last = TOKEN_SIGN;
	s->sign = sign;
}

static void take_name(struct script_text *s)
{
	bool attribute = s->last == TOKEN_SIGN && s->sign == '.';

	s->token[s->n] = '\0';
	check_getattr(s);
	if (s->getattr != 0)
		follow_getattr(s, TOKEN_NAME, 0);
	if (attribute) {
		judge_attribute(s, s->token);
		s->bare[0] = '\0';
		return;
	}
	end_path(s);
	s->bare[0] = '\0';
	judge_bare(s, s->token);
}

static void take_value(struct script_text *s, enum script_token kind)
{
	s->token[s->n] = '\0';
	check_getattr(s);
	if (s->getattr != 0)
		follow_getattr(s, kind, 0);
	end_path(s);
	s->bare[0] = '\0';
}

static void end_token(struct script_text *s)
{
	enum script_token kind = s->kind;

	if (kind == TOKEN_NONE)
		return;
	if (kind == TOKEN_NAME)
		take_name(s);
	else
		take_value(s, kind);
	s->last = kind;
	s->sign = 0;
	s->kind = TOKEN_NONE;
}

/* -- bytes -- */

static bool is_digit(uint8_t b)
{
	return b >= '0' && b <= '9';
}

static bool is_word_byte(uint8_t b)
{
	return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '_' || is_digit(b);
}

static void begin_token(struct script_text *s, enum script_token kind, uint64_t offset)
{
	s->kind = kind;
	s->begin = offset;
	s->n = 0;
	s->escaped = s->escapes = s->exponent = s->fraction = false;
}

static void keep(struct script_text *s, uint8_t b)
{
	if (s->n < sizeof(s->token) - 1)
		s->token[s->n++] = (char)b;
	else if (s->kind == TOKEN_NAME || s->getattr != 0)
		give_up(s, s->begin, "a name too long");
}

/* 1, 1., 1.5e-05, 2j.  A name right behind a number would be a method of it. */
static bool goes_on_number(struct script_text *s, uint8_t b, uint64_t offset)
{
	char last = s->n > 0 ? s->token[s->n - 1] : '0';

	if (is_digit(b) || ((b == '-' || b == '+') && last == 'e'))
		return true;
	if (b == '.' && !s->fraction && !s->exponent)
		return s->fraction = true;
	if (b == 'e' && !s->exponent)
		return s->exponent = true;
	if (b == 'j' && is_digit((uint8_t)last))
		return true;
	if (is_word_byte(b) || b == '.' || b == '"')
		give_up(s, offset, "a number like no other");
	return false;
}

static void feed_text(struct script_text *s, uint8_t b, uint64_t offset)
{
	if (b == '\n' || b == '\r') {
		give_up(s, offset, "a text over two lines");
	} else if (s->escaped) {
		s->escaped = false;
	} else if (b == '\\') {
		s->escaped = s->escapes = true;
	} else if (b == '"') {
		end_token(s);
		return;
	}
	keep(s, b);
}

static void feed_start(struct script_text *s, uint8_t b, uint64_t offset)
{
	if (b == ' ' || b == '\n') {
		if (b == '\n' && s->sign != ',' && s->sign != '(' && s->sign != '[' && s->sign != '{')
			end_path(s);
	} else if (b == '"') {
		if (s->last == TOKEN_TEXT)
			give_up(s, offset, "a text behind a text"); /* """ begins one that goes over lines */
		begin_token(s, TOKEN_TEXT, offset);
	} else if (is_digit(b)) {
		begin_token(s, TOKEN_NUMBER, offset);
		keep(s, b);
	} else if (is_word_byte(b)) {
		begin_token(s, TOKEN_NAME, offset);
		keep(s, b);
	} else if (b != '\0' && strchr(".,=():[]{}->", b) != NULL) {
		take_sign(s, (char)b, offset);
	} else {
		give_up(s, offset, "a character that no writer uses");
	}
}

static void feed_byte(struct script_text *s, uint8_t b, uint64_t offset)
{
	if (s->kind == TOKEN_TEXT) {
		feed_text(s, b, offset);
		return;
	}
	if ((s->kind == TOKEN_NAME && is_word_byte(b)) || (s->kind == TOKEN_NUMBER && goes_on_number(s, b, offset))) {
		keep(s, b);
		return;
	}
	if (s->kind == TOKEN_NAME && b == '"')
		give_up(s, offset, "a text with a prefix");
	if (!s->done)
		end_token(s);
	if (!s->done)
		feed_start(s, b, offset);
}

void script_feed(struct script_text *s, const uint8_t *at, size_t n, uint64_t offset)
{
	for (size_t i = 0; i < n && !s->done; i++) {
		feed_byte(s, at[i], offset + i);
		script_show_byte(&s->show, at[i], offset + i);
	}
}

void script_end(struct script_text *s)
{
	if (s->kind == TOKEN_TEXT)
		give_up(s, s->begin, "a text without an end");
	script_show_end(&s->show);
	if (s->done)
		return;
	end_token(s);
	end_path(s);
	check_getattr(s);
}
