/* Members of what the renderer gives, as they are spelled: what a test says of one holds in the branch.  See template_impl.h. */
#include "template_impl.h"

struct bytes template_source_between(const uint8_t *from, const uint8_t *to)
{
	while (to > from && to[-1] <= ' ')
		to--;
	return bytes_of(from, (size_t)(to - from));
}

struct bytes template_source_word(const uint8_t **p, const uint8_t *end)
{
	const uint8_t *from = *p;

	while (*p < end && (**p == '_' || (**p >= '0' && **p <= '9') || ((**p | 0x20) >= 'a' && (**p | 0x20) <= 'z')))
		(*p)++;
	return bytes_of(from, (size_t)(*p - from));
}

/* A name or a number between brackets, or a key, however it is quoted: [0], [k], ['x'], .get('x').  *ret_key: it is a key. */
static struct bytes bracketed(const uint8_t **p, const uint8_t *end, uint8_t closer, bool *ret_key)
{
	uint8_t quote = *p < end && (**p == '\'' || **p == '"') ? *(*p)++ : 0;
	struct bytes word = template_source_word(p, end);

	*ret_key = quote != 0;
	if ((quote != 0 && (*p == end || *(*p)++ != quote)) || *p == end || *(*p)++ != closer)
		return bytes_of(NULL, 0);
	return word;
}

/* The next member of a path, and how it is asked for: '.', or '['. */
static struct bytes take_member(const uint8_t **p, const uint8_t *end, char *ret_by)
{
	struct bytes word;
	bool key;

	if (*(*p)++ == '[') {
		word = bracketed(p, end, ']', &key);
	} else {
		word = template_source_word(p, end);
		key = true;
		if (template_word_is(word, "get") && *p < end && *(*p)++ == '(')
			word = bracketed(p, end, ')', &key);
		if (!key)
			return bytes_of(NULL, 0);
	}
	*ret_by = key ? '.' : '[';
	/* x.items and x['items'] are two, and so are x.0 and x['0'] */
	if (key && (word.n == 0 || word.at[0] <= '9' || template_word_is_attribute(word)))
		return bytes_of(NULL, 0);
	return word;
}

/* x.y, x['y'] and x.get('y') are one.  Return: bytes in @to; 0 when it is no path, or too long. */
static size_t plain_path(struct bytes path, char *to, size_t room)
{
	const uint8_t *p = path.at, *end = p + path.n;
	struct bytes word = template_source_word(&p, end);
	size_t n = 0;
	char by = 0;

	if (p == end) /* a name alone */
		return 0;
	for (;; word = take_member(&p, end, &by)) {
		if (word.n == 0 || word.n + 1 > room - n)
			return 0;
		if (by != 0)
			to[n++] = by;
		memcpy(to + n, word.at, word.n);
		n += word.n;
		if (p == end)
			return n;
		if (*p != '.' && *p != '[')
			return 0;
	}
}

struct trait template_path(struct check *c, const uint8_t *from, struct trait v, uint32_t *subject)
{
	char *to = c->paths + c->n_paths;
	struct bytes path =
	    bytes_of(to, plain_path(template_source_between(from, c->now.raw.at), to, sizeof(c->paths) - c->n_paths));
	uint32_t cell = path.n > 0 ? cells_find(&c->cells, CELL_PATH, c->scope, path) : CELL_NONE;
	bool asked = template_at_word(c, "is") && from == c->operand_at;

	if (path.n > 0 && cell == CELL_NONE && asked) {
		cell = cells_get(&c->cells, CELL_PATH, c->scope, path);
		c->n_paths += path.n;
	}
	if (cell == CELL_NONE)
		return v;
	*subject = asked ? cell : *subject;
	return template_tested(&c->cells.cells[cell], v, amount_but_text(v, c->cells.outside));
}

struct trait template_tested(const struct cell *cell, struct trait v, struct amount but_text)
{
	if (cell->only_text)
		v.self &= IS_ANY_TEXT | IS_METHOD | IS_WRITTEN | IS_WIDE | IS_OUTSIDE | IS_WHOLE;
	if (cell->not_text) {
		v.self &= (uint32_t)~IS_ANY_TEXT;
		v.n = but_text;
	}
	return v;
}

/* Does the word stand anywhere in it? */
static bool path_has(struct bytes path, struct bytes word)
{
	return word.n > 0 && memmem(path.at, path.n, word.at, word.n) != NULL;
}

void template_forget_paths(struct check *c, struct bytes word)
{
	for (unsigned i = 0; i < c->n_blocks; i++) {
		const struct block *b = &c->blocks[i];

		for (unsigned k = 0; k < b->n_set + b->n_text; k++) {
			uint32_t n = k < b->n_set ? b->set[k] : b->text[k - b->n_set];
			struct cell *cell = &c->cells.cells[n];

			if (cell->role == CELL_PATH && path_has(cell->text, word))
				cell->not_text = cell->only_text = false;
		}
	}
}
