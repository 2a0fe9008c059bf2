/* Paths that classes of HyperPyYAML's files are given: core.py makes the object, and speechbrain's open, and unpickle, what they are
 * told (lobes/models/beats.py, discrete/dac.py, fairseq_wav2vec.py, MSTacotron2.py; utils/parameter_transfer.py). */
#include "config_yaml_impl.h"

/* Arguments that are files of models: these are opened by an unpickler wherever they lie, also where a reference says. */
static const char opened[] =
    "ckp_path ckpt_path pretrained_path load_path speaker_embeddings_pickle checkpoint_path model_path "
    "lexicon_filepath";

bool yaml_tag_calls(struct bytes tag)
{
	return config_begins(tag, "!new:") || config_begins(tag, "!apply:") || config_begins(tag, "!applyref:") ||
	       config_begins(tag, "!name:");
}

static bool is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* A separator may be an argument, too. */
static enum wlk_finding place_fault(struct bytes text)
{
	enum wlk_finding fault = text.n > 2 && text.n <= CONFIG_TEXT_MAX ? config_path_fault(text) : 0;

	return fault == WLK_F_CONFIG_PATH_ABSOLUTE && !is_letter(text.at[0]) && !is_letter(text.at[1]) &&
		       !(text.at[0] == '~' && is_letter(text.at[2]))
		   ? 0
		   : fault;
}

static void note(
    struct yaml *y, struct place *places, unsigned *n, struct bytes name, enum wlk_finding fault, uint64_t at)
{
	struct place *p = &places[*n];

	if (*n == PLACES_MAX || name.n > sizeof(p->name)) {
		y->places_full = true;
		return;
	}
	p->fault = fault;
	p->at = at;
	p->n = (uint8_t)name.n;
	bytes_copy(p->name, name);
	(*n)++;
}

/* `!ref <name>...`: what is referred to first, for a path begins with it. */
static void note_referral(struct yaml *y, struct bytes text, uint64_t at)
{
	const uint8_t *end = text.n > 2 && text.at[0] == '<' ? memchr(text.at, '>', text.n) : NULL;

	if (end != NULL && config_is_word_of(y->levels[y->depth - 1].name, opened))
		note(y, y->referrals, &y->n_referrals, bytes_of(text.at + 1, (size_t)(end - text.at) - 1), 0, at);
}

void yaml_check_argument(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at)
{
	const struct level *v = y->depth > 0 ? &y->levels[y->depth - 1] : NULL;

	if (v == NULL || (v->map && v->key))
		return;
	if (v->called && bytes_equal(tag, bytes_of_text("!ref")))
		note_referral(y, text, at);
	else if (v->called && place_fault(text) != 0)
		yaml_tell(y, place_fault(text), text, at);
	else if (y->depth == 1 && v->map && place_fault(text) != 0)
		note(y, y->places, &y->n_places, v->name, place_fault(text), at);
}

/* By now all names are known, whichever stood first. */
void yaml_check_referrals(struct yaml *y)
{
	for (unsigned i = 0; i < y->n_referrals; i++)
		for (unsigned k = 0; k < y->n_places; k++) {
			const struct place *r = &y->referrals[i], *p = &y->places[k];

			if (bytes_equal(bytes_of(r->name, r->n), bytes_of(p->name, p->n)))
				yaml_tell(y, p->fault, bytes_of(p->name, p->n), r->at);
		}
	if (y->places_full && y->n_referrals > 0)
		yaml_tell(y, WLK_F_CONFIG_LIMIT, bytes_of(NULL, 0), y->referrals[0].at);
}
