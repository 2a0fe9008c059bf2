/* See config_values.h. */
#include "config_values.h"

#include "regex_cost.h"
#include "token_id.h"

#define REGEX_MANY 256u /* of one file */
#define REGEX_MEMORY ((uint64_t)3 << 20)

/* -- numbers of tokens: transformers' configurations, which runtimes in other languages index by -- */

static bool is_of_tokens(struct bytes key)
{
	uint8_t last = key.at[key.n - 1];

	if (last == 'd')
		return config_ends(key, "_token_id");
	return last == 's' &&
	       (config_ends(key, "_token_ids") ||
		   ((config_ends(key, "_ids") || config_ends(key, "_tokens")) &&
		       config_is_word_of(key,
			   "suppress_tokens begin_suppress_tokens bad_words_ids forced_decoder_ids force_words_ids")));
}

void config_check_number(struct config *c, struct bytes around, struct bytes digits, uint64_t at)
{
	enum config_family f = c->l->family;

	if ((f == CONFIG_TRANSFORMERS || f == CONFIG_TOKENIZER || f == CONFIG_GENERATION) && around.n > 9 &&
	    is_of_tokens(around) && !tokenizer_id_is_sound(digits, true))
		config_found(c, WLK_F_TOKENIZER_ID_RANGE, digits, around, at);
}

/* -- expressions that are matched against the names of a model's parts -- */

static void check_regex(struct config *c, struct bytes text, struct bytes key, uint64_t at)
{
	enum regex_cost cost;

	if (c->n_regex++ >= REGEX_MANY) {
		if (c->n_regex == REGEX_MANY + 1)
			config_found(c, WLK_F_CONFIG_LIMIT, bytes_of(NULL, 0), key, at);
		return;
	}
	if (c->regex == NULL) {
		layout_raise_memory(c->l, REGEX_MEMORY);
		c->regex = regex_new(c->l->arena);
	}
	if (c->regex == NULL) {
		c->failed = true;
		return;
	}
	cost = regex_judge(c->regex, text, REGEX_PYTHON);
	if (cost != REGEX_FINE)
		config_found(c, WLK_F_TOKENIZER_REGEX, bytes_of_text(regex_cost_words(cost)), key, at);
}

/* A word or a path of words: nothing loops. */
static bool loops(struct bytes text)
{
	return memchr(text.at, '*', text.n) != NULL || memchr(text.at, '+', text.n) != NULL ||
	       memchr(text.at, '{', text.n) != NULL || memchr(text.at, '\\', text.n) != NULL;
}

/* peft/tuners/tuners_utils.py, check_target_module_exists(): re.fullmatch() of a text, not of the entries of a list; the keys of
 * patterns are matched too (get_pattern_key()).  compressed_tensors/utils/match.py: what stands behind `re:`. */
void config_check_pattern(struct config *c, struct bytes key, struct bytes around, struct bytes text, uint64_t at)
{
	if (text.n > 3 && config_begins(text, "re:")) {
		for (unsigned i = 0; i < c->depth; i++)
			if (c->frames[i].key == KEY_QUANTIZATION_CONFIG || c->frames[i].key == KEY_COMPRESSION_CONFIG) {
				check_regex(c, bytes_of(text.at + 3, text.n - 3), around, at);
				return;
			}
	} else if (text.n > 1 && key.n > 13 && c->depth == 1 &&
		   (key.at[0] == 't' || key.at[0] == 'e' || key.at[0] == 'l') && loops(text) &&
		   config_is_word_of(key, "target_modules exclude_modules layers_pattern target_parameters")) {
		check_regex(c, text, key, at);
	}
}
