/* Configurations in lines and statements of their own, which are neither JSON nor YAML: settings (INI, TOML, spaCy), gin,
 * requirements, Modelfiles of Ollama, protobuf text of Triton.  Follows formats/configs, sections 2.2, 2.3 and 3.  Each reader
 * takes a text as its loader does, and feeds the judge; the text lives until the scan is over. */
#pragma once

#include "config.h"

#define CONFIG_LINES_BYTES_MAX ((uint64_t)16 << 20)

/* Does the file's name say that it is one of these? */
bool config_lines_by_name(enum config_family family);
/* Does this look like settings: a section, or `word = value`, before anything else? */
bool config_lines_by_content(struct bytes text);
/**
 * config_lines_check() - judge a text as what name or content say
 * Return: WLK_DONE, also with findings; WLK_BROKEN: not all was looked at; WLK_INCOMPLETE.
 */
enum wlk_status config_lines_check(struct layout *l, struct bytes text);

/* What no name tells: lists of requirements (`-r` takes any file). */
bool config_lines_are_requirements(struct bytes text);
/* Of a set: would pip, told to read a text that is nobody's, install from elsewhere?  NULL text: it is too long to be looked at. */
void config_lines_note(struct layout *l, struct bytes text);

/* -- the readers -- */

/* @toml: quotes and brackets may go on over lines, as the name says. */
void config_read_settings(struct config *c, struct bytes text, bool toml);
void config_read_gin(struct config *c, struct bytes text);
void config_read_requirements(struct config *c, struct bytes text);
void config_read_modelfile(struct config *c, struct bytes text);
void config_read_triton(struct config *c, struct bytes text);
void config_read_environment(struct config *c, struct bytes text);
void config_read_prompty(struct config *c, struct bytes text);

/* -- what they share -- */

/* What is left of a text that is read; every step moves @at, and none looks past the end. */
struct config_reader {
	struct config *c;
	struct bytes text;
	size_t at;
};

/* 0 at the end. */
static inline uint8_t reader_peek(const struct config_reader *r)
{
	return r->at < r->text.n ? r->text.at[r->at] : 0;
}

/* From @from up to here. */
static inline struct bytes reader_since(const struct config_reader *r, size_t from)
{
	return bytes_of(r->text.at + from, r->at - from);
}

static inline struct config_text config_lives(struct bytes b)
{
	return (struct config_text){ b, true };
}

bool config_is_word_byte(uint8_t c);
/* Without blanks, tabs and line ends before and behind. */
struct bytes config_trim(struct bytes b);
/* The line from here on, without its end, which is skipped; @wide: as Python's splitlines() breaks them. */
struct bytes reader_line(struct config_reader *r, bool wide);
/* From a quote to the one that ends the string: @triple takes three for one that goes over lines; else a line's end ends it.
 * False: it does not end.  *ret: what is between, escapes as they stand. */
bool reader_string(struct config_reader *r, bool triple, bool escapes, struct bytes *ret);
/* Escapes of Python, TOML and protobuf undone: \n \t \xHH \ooo \uHHHH \UHHHHHHHH, a broken line.  Into the arena when there are
 * any.  NULL .at: memory. */
struct bytes config_unescape(struct config *c, struct bytes raw);
