/* Ollama's Modelfile: a command and its value a line.  Follows ollama's parser/parser.go: commands in any case, `#` begins a
 * comment, a value in quotes or in three of them goes on until they end.  FROM and ADAPTER name a model, or a file that the
 * server reads. */
#include "config_impl.h"
#include "config_lines.h"

static bool is_command(struct bytes word, const char *name)
{
	if (word.n != strlen(name))
		return false;
	for (size_t i = 0; i < word.n; i++)
		if ((word.at[i] | 0x20) != (uint8_t)name[i])
			return false;
	return true;
}

static void skip_blanks(struct config_reader *r)
{
	while (reader_peek(r) == ' ' || reader_peek(r) == '\t')
		r->at++;
}

/* A quote that nothing ends is part of the text, and only of its line to us: what follows is looked at as commands. */
static struct bytes take_value(struct config_reader *r)
{
	struct config_reader quoted = *r;
	struct bytes text;

	if (reader_peek(r) != '"')
		return config_trim(reader_line(r, false));
	if (r->text.n - r->at >= 3 && memcmp(r->text.at + r->at, "\"\"\"", 3) == 0) {
		if (!reader_string(&quoted, true, false, &text))
			return config_trim(reader_line(r, false));
	} else {
		const uint8_t *end = memchr(r->text.at + r->at + 1, '"', r->text.n - r->at - 1);

		if (end == NULL)
			return config_trim(reader_line(r, false));
		quoted.at = (size_t)(end - r->text.at) + 1;
		text = bytes_of(r->text.at + r->at + 1, (size_t)(end - r->text.at) - r->at - 1);
	}
	*r = quoted;
	return config_trim(text);
}

static void take_command(struct config_reader *r)
{
	size_t from = r->at;
	struct bytes word;
	uint64_t at;

	while (config_is_word_byte(reader_peek(r)))
		r->at++;
	word = reader_since(r, from);
	skip_blanks(r);
	if (is_command(word, "message") || is_command(word, "parameter")) { /* a word comes before the value */
		while (config_is_word_byte(reader_peek(r)))
			r->at++;
		skip_blanks(r);
	}
	at = r->at;
	if (is_command(word, "from") || is_command(word, "adapter"))
		config_read_path(r->c, take_value(r), word, at);
	else
		(void)take_value(r);
}

void config_read_modelfile(struct config *c, struct bytes text)
{
	struct config_reader r = { .c = c, .text = text };

	while (r.at < text.n) {
		uint8_t b = reader_peek(&r);

		if (b == '#')
			(void)reader_line(&r, false);
		else if (config_is_word_byte(b))
			take_command(&r);
		else
			r.at++;
	}
}
