/* The ground of the command `weighlock`: how it ends, what it says to people, its clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nearest.h"

struct option;

/* How the command ends, in scripts for ever.  FAILED wins over INCOMPLETE, INCOMPLETE over NO_MODEL.  A
 * signal ends it with 128 + its number. */
enum cli_exit {
	CLI_OK = 0,         /* everything was judged and accepted */
	CLI_FAILED = 1,     /* something was rejected or, unless --fail-on says otherwise, is under review */
	CLI_INCOMPLETE = 2, /* something could not be judged, or the daemon is unreachable */
	CLI_NO_MODEL = 3,   /* no model file among the inputs */
	CLI_USAGE = 4,      /* usage or configuration */
};

/* ---- usage.c ---- */

/* Help text of a subcommand, or of the program for NULL; NULL for a name that is none. */
const char *usage_text(const char *command);
/* "; did you mean '...'?" about subcommands: see nearest.h. */
const char *usage_nearest(const char *typed, char buf[NEAREST_QUESTION_MAX]);
/* Print the help of @command; status 0, or INCOMPLETE when the output cannot be written. */
int usage_print(const char *command);
/* Print the version; status as above. */
int usage_version(void);

/* What every table of long options ends with; short options begin with ':' and have hV. */
#define USAGE_LONG_OPTIONS                                                         \
	{ "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, \
	{                                                                          \
		NULL, 0, NULL, 0                                                   \
	}

/**
 * usage_option() - an option that every command has, or that getopt_long() did not like: says so and where help is
 * @answer: as getopt_long() returned it.  @argument: argv[optind - 1].
 * Return: the exit status.
 */
int usage_option(const char *command, int answer, const struct option *longs, const char *shorts, const char *argument);
/* The same for a command's argument where no other options are known.  Return: -1 where it is no option. */
int usage_plain_option(const char *command, const char *argument);
/* One line to standard error: the complaint and where help is.  Return: CLI_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- text.c ---- */

/* A line to standard error, starting with "weighlock: ".  What it quotes cannot act on the terminal. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* text_escape() of a whole text.  malloc()ed, NULL without memory. */
char *text_escaped(const char *text);

/**
 * text_safe() - make a text harmless to print
 * Like text_escape(), but a backslash stays one, so that text which was escaped before does not change.
 * Return: malloc()ed, NULL without memory.
 */
char *text_safe(const char *text);

/* "1,234,567" */
#define TEXT_GROUPED_MAX 32
char *text_grouped(uint64_t n, char buf[TEXT_GROUPED_MAX]);
/* "999 bytes", "1.23 kB", "4.1 GB": decimal units, as hubs show them. */
#define TEXT_SIZE_MAX 32
char *text_size(uint64_t n_bytes, char buf[TEXT_SIZE_MAX]);

/* The place of @text among @n words; n: it is none of them. */
size_t word_index(const char *text, const char *const *words, size_t n);

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

bool color_parse(const char *text, enum color_when *ret);
/* The option wins, then NO_COLOR, then CLICOLOR_FORCE, then whether @f is a terminal that knows colour. */
bool color_wanted(enum color_when when, FILE *f);

/* Columns of text on @f: COLUMNS where somebody set it, else the terminal's; 0: it is none, and lines may be as long as they are.
 */
size_t width_wanted(FILE *f);

/* Everything on standard output arrived?  Says so if not.  Return: @status, or INCOMPLETE if it was to be OK.
 */
int output_finish(int status);

/* Print a text; NULL is "no memory". */
int output_text(const char *text, int status);

/* Print a JSON value as one line.  Takes the reference; NULL is "no memory". */
struct json_t;
int output_json(struct json_t *json);

/* ---- clock ---- */

/* A clock that only moves forward. */
int64_t now_us(void);
int64_t now_ms(void);
