/* Configurations that make a loader run code: one judge for what keys and values ask for, whatever they are written in.
 * Follows formats/configs.
 *
 * A reader - JSON, YAML, TOML, lines of settings - feeds it with what it reads, in the order of the file:
 *
 *	struct config *c = config_begin(l);             // NULL: memory
 *	config_open(c, CONFIG_MAP, no_key, at);         // the outermost value; a file of `key = value` lines is a map, too
 *	config_value(c, CONFIG_TEXT, key, text, at);    // an entry of a map; of a list: config_no_key
 *	config_open(c, CONFIG_LIST, key, at); ... config_close(c);
 *	config_close(c);
 *	status = config_end(c);                         // judges, and tells what is found
 *
 * Sections of settings ([a.b]) are maps in maps.  Texts are decoded (no escapes, no quotes) and borrowed for the call unless
 * they `live`: then they are kept as they are until the scan is over (views of pinned bytes, or of the arena).  Offsets are in
 * the part.  What a reader finds itself and no map holds (an import statement of gin, a tag of YAML) goes to config_call(),
 * config_import() and their like below, between config_begin() and config_end().
 *
 * Most of a file is forgotten at once: what is kept is a tree of the entries that some rule asks for, with the maps and
 * lists around them, at most CONFIG_NODES_MAX. */
#pragma once

#include "config_family.h"
#include "format.h"

#define CONFIG_DEPTH_MAX 128u
#define CONFIG_NODES_MAX 262144u /* configurations have hundreds */
#define CONFIG_TEXT_MAX 4096u    /* longer texts are prose, but for expressions */
#define CONFIG_NAME_MAX 512u     /* no importable name comes near */
#define CONFIG_NAMES_MAX 65536u  /* judged in all: each costs some microseconds */
#define CONFIG_PATH_MAX 256u     /* of a key, as findings name it */

enum config_type { CONFIG_NULL, CONFIG_FALSE, CONFIG_TRUE, CONFIG_NUMBER, CONFIG_TEXT, CONFIG_MAP, CONFIG_LIST };

struct config_text {
	struct bytes b;
	bool lives;
};

static const struct config_text config_no_key = { { NULL, 0 }, true };

struct config;

/* @l: of what is read; borrowed.  Its family (what the name suggests) and whether it is one of a set are looked at. */
struct config *config_begin(struct layout *l);
void config_open(struct config *c, enum config_type type, struct config_text key, uint64_t at);
void config_close(struct config *c);
/* @text: of CONFIG_TEXT; of CONFIG_NUMBER its digits, or nothing. */
static inline void config_value(
    struct config *c, enum config_type type, struct config_text key, struct config_text text, uint64_t at);
/* The same with all in registers: structures are written to the stack and waited for, and this is called for every value. */
enum { CONFIG_TYPE_MASK = 7, CONFIG_KEY_LIVES = 8, CONFIG_TEXT_LIVES = 16 };
void config_take(struct config *c, unsigned what, struct bytes key, struct bytes text, uint64_t at);

static inline void config_value(
    struct config *c, enum config_type type, struct config_text key, struct config_text text, uint64_t at)
{
	config_take(c, (unsigned)type | (key.lives ? CONFIG_KEY_LIVES : 0) | (text.lives ? CONFIG_TEXT_LIVES : 0),
	    key.b, text.b, at);
}
/* Return: WLK_DONE, also with findings; WLK_BROKEN: not all was looked at (config-limit), or a template is not understood;
 * WLK_INCOMPLETE: memory. */
enum wlk_status config_end(struct config *c);

/* -- chat templates (config_templates.c) -- */

enum config_templates {
	CONFIG_TEMPLATES_NONE,
	CONFIG_TEMPLATES_INNER, /* not those of the outermost map: somebody else judges them */
	CONFIG_TEMPLATES_ALL
};

/* Which are judged; behind config_begin(), where none is. */
void config_take_templates(struct config *c, enum config_templates which);
/* Whether config_value() would judge a text under this key as one: it has to come whole. */
bool config_asks_template(const struct config *c, struct bytes key);

/* -- what readers find themselves: @path says where, for people -- */

/* A name that is called, with arguments of the file; that is imported; a path that is opened; a text given to eval(). */
void config_call(struct config *c, struct bytes name, struct bytes path, uint64_t at);
void config_import(struct config *c, struct bytes name, struct bytes path, uint64_t at);
void config_read_path(struct config *c, struct bytes name, struct bytes path, uint64_t at);
/* A path whose file is read as this one is: one of another @ending (NULL: of YAML's) is judged as something else. */
void config_include(struct config *c, struct bytes name, const char *ending, struct bytes path, uint64_t at);
void config_evaluate(struct config *c, struct bytes text, struct bytes path, uint64_t at);
/* Any other finding. */
void config_found(struct config *c, enum wlk_finding code, struct bytes found, struct bytes path, uint64_t at);
/* The file is of this family: its content says so. */
void config_is(struct config *c, enum config_family family);
/* Is there any?  What content of maps says counts from config_end() on. */
bool config_has_family(const struct config *c);
/* The key path of what is open now, into @buf.  Return: its bytes. */
size_t config_here(const struct config *c, struct bytes key, uint8_t buf[CONFIG_PATH_MAX]);
