/* What configurations name: see config_rules.h. */
#include "config_rules.h"

#include "known.h"

/* Constructors that Hydra-style configurations of models name: they make modules, and call nothing they are given. */
static const char *const harmless[] = { "nemo.", "torch.nn.", "torch.optim.", "omegaconf.", "transformers.",
	"diffusers.", "lightning.pytorch.", "pytorch_lightning.", "torchmetrics.", "torchvision.transforms." };

static bool begins_with(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && memcmp(b.at, text, n) == 0;
}

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
		if (begins_with(target, harmless[i]))
			return is_dotted_name(target) && names_class(target);
	return false;
}

#define PARTS_MAX 12u   /* of a name */
#define MODULE_PARTS 2u /* of a module reached through another: asked about each part, it is kept cheap */

/* Is what this name begins with, up to the part behind its module, dangerous? */
static bool is_denied_from(struct bytes target, size_t module_parts)
{
	for (size_t i = 1; i + 1 < target.n && module_parts > 0; i++) {
		const uint8_t *rest = target.at + i + 1, *dot;
		size_t n = target.n - i - 1;

		if (target.at[i] != '.')
			continue;
		module_parts--;
		dot = memchr(rest, '.', n);
		n = dot != NULL ? (size_t)(dot - rest) : n;
		if (pickle_name_standing(bytes_of(target.at, i), bytes_of(rest, n), NULL).tier == PICKLE_TIER_DENIED)
			return true;
	}
	return false;
}

/* module.name.attribute: every place at which it may be divided is asked, for which is the module only an import would
 * tell, and modules are attributes of those that import them: x.y.os.system. */
static bool is_denied(struct bytes target)
{
	size_t parts = 1;

	for (size_t i = 0; i < target.n; i++)
		parts += target.at[i] == '.';
	if (parts > PARTS_MAX)
		return true; /* nobody's: each part is asked with all behind it */
	for (size_t i = 0; i + 1 < target.n; i++)
		if ((i == 0 || target.at[i - 1] == '.') &&
		    is_denied_from(bytes_of(target.at + i, target.n - i), i == 0 ? PARTS_MAX : MODULE_PARTS))
			return true;
	return false;
}

void config_check_target(struct layout *l, struct bytes target, uint64_t at)
{
	bool denied = target.n <= CONFIG_TARGET_MAX && is_denied(target);

	if (!denied && is_harmless(target))
		return;
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
	if (target.n > CONFIG_TARGET_MAX || !is_dotted_name(target) || !is_denied(target))
		return;
	layout_finding(
	    l, &(struct finding){
		   .code = WLK_F_CONFIG_TARGET, .has_offset = true, .offset = at, .found = value_text(target) });
}
