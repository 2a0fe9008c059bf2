/* What configurations name: see config_rules.h. */
#include "config_rules.h"

#include "config_names.h"
#include "config_show.h"

/* Constructors that Hydra-style configurations of models name: they make modules, and call nothing they are given. */
static const char *const harmless[] = { "nemo.", "torch.nn.", "torch.optim.", "omegaconf.", "transformers.",
	"diffusers.", "lightning.pytorch.", "pytorch_lightning.", "torchmetrics.", "torchvision.transforms." };

/* Letters, digits, underscores, and whatever is not ASCII. */
static bool is_name_byte(uint8_t c)
{
	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Parts with dots between them: sentences have more. */
static bool is_dotted_name(struct bytes t)
{
	uint8_t before = '.';

	for (size_t i = 0; i < t.n; before = t.at[i++]) {
		uint8_t c = t.at[i];

		if (c == '.' ? before == '.' : !is_name_byte(c))
			return false;
	}
	return before != '.';
}

/* The last part is called as classes are: methods and functions of the same packages fetch and load what they are told
 * (AutoModel.from_pretrained). */
static bool names_class(struct bytes target)
{
	size_t at = target.n;

	while (at > 0 && target.at[at - 1] != '.')
		at--;
	while (at < target.n && target.at[at] == '_')
		at++;
	return at < target.n && target.at[at] >= 'A' && target.at[at] <= 'Z';
}

/* Nothing but a name: what an escape, an interpolation or a broken line would still make of it, nobody knows. */
static bool is_harmless(struct bytes target)
{
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (bytes_begin_with(target, harmless[i]))
			return is_dotted_name(target) && names_class(target);
	return false;
}

void config_check_target(struct layout *l, struct bytes target, uint64_t at)
{
	bool denied = config_name_is_denied(target);

	if (!denied && is_harmless(target))
		return;
	config_show_alone(l, denied ? WLK_F_CONFIG_TARGET : WLK_F_CONFIG_TARGET_UNLISTED, target, at);
	layout_finding(l, &(struct finding){ .code = denied ? WLK_F_CONFIG_TARGET : WLK_F_CONFIG_TARGET_UNLISTED,
			      .has_offset = true,
			      .offset = at,
			      .found = value_text(target) });
}

/* Numbers have dots, too. */
void config_check_import(struct layout *l, struct bytes target, uint64_t at)
{
	if (target.n > 0 && is_dotted_name(target) && memchr(target.at, '.', target.n) != NULL &&
	    !(target.at[0] >= '0' && target.at[0] <= '9'))
		config_check_target(l, target, at);
}

void config_check_class(struct layout *l, struct bytes target, uint64_t at)
{
	if (target.n > CONFIG_TARGET_MAX || !is_dotted_name(target) || !config_name_is_denied(target))
		return;
	config_show_alone(l, WLK_F_CONFIG_TARGET, target, at);
	layout_finding(
	    l, &(struct finding){
		   .code = WLK_F_CONFIG_TARGET, .has_offset = true, .offset = at, .found = value_text(target) });
}
