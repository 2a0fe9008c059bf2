/* Tags of YAML, resolved by libyaml: formats/configs, sections 2.2 and 5. */
#include "config_yaml_impl.h"

void yaml_tell(struct yaml *y, enum wlk_finding code, struct bytes found, uint64_t at)
{
	uint8_t path[CONFIG_PATH_MAX];
	struct level *v = y->depth > 0 ? &y->levels[y->depth - 1] : NULL;

	config_found(
	    y->c, code, found, bytes_of(path, config_here(y->c, v != NULL ? v->name : bytes_of(NULL, 0), path)), at);
}

#define CORE "tag:yaml.org,2002:"

/* Functions that MkDocs' settings name, and nobody calls while they are read (squidfunk's and facelessuser's documentation). */
static const char page_makers[] = "material.extensions.* materialx.* pymdownx.* mermaid2.*";

static void tell_python(struct yaml *y, struct bytes tag, uint64_t at)
{
	struct bytes rest = bytes_of(tag.at + strlen(CORE "python/"), tag.n - strlen(CORE "python/")), name = rest;
	const uint8_t *colon = memchr(rest.at, ':', rest.n);
	enum wlk_finding code = WLK_F_YAML_PYTHON_TAG;

	if (config_is_word_of(rest, "none bool str unicode int long float complex list tuple dict bytes"))
		code = WLK_F_CONFIG_YAML_PYTHON_VALUE;
	if (colon != NULL)
		name = bytes_of(colon + 1, rest.n - (size_t)(colon + 1 - rest.at));
	if (colon != NULL && (config_begins(rest, "name:") || config_begins(rest, "module:")) && name.n > 0 &&
	    config_name_standing(name, NULL, NULL) != CONFIG_NAME_DENIED)
		code = WLK_F_CONFIG_YAML_OBJECT;
	if (config_begins(rest, "name:") && config_name_standing(name, page_makers, NULL) == CONFIG_NAME_FINE)
		code = WLK_F_CONFIG_YAML_PYTHON_VALUE;
	if (config_begins(rest, "object/apply:") &&
	    config_is_word_of(name,
		"pathlib.PosixPath pathlib.Path pathlib.WindowsPath pathlib.PurePosixPath "
		"pathlib.PureWindowsPath pathlib.PurePath collections.OrderedDict argparse.Namespace"))
		code = WLK_F_CONFIG_YAML_OBJECT;
	yaml_tell(y, code, tag, at);
}

static bool is_foreign(struct bytes tag)
{
	static const char *const begins[] = { "!ruby/", "tag:ruby.yaml.org,2002:", "!java", "tag:yaml.org,2002:java",
		"tag:yaml.org,2002:com.", "tag:yaml.org,2002:org.", "tag:yaml.org,2002:net.", "tag:yaml.org,2002:sun.",
		"tag:yaml.org,2002:ruby/", "tag:yaml.org,2002:php/", "tag:yaml.org,2002:perl/", "!com.", "!org.",
		"!net.", "!sun.", "!php/", "!perl/", "!System.", "!clr:", "System.", "clr:" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (config_begins(tag, begins[i]))
			return true;
	return false;
}

/* HyperPyYAML's: core.py. */
static bool tell_hyper(struct yaml *y, struct bytes tag, uint64_t at)
{
	static const char *const calls[] = { "!new:", "!apply:", "!applyref:", "!name:" };
	uint8_t path[CONFIG_PATH_MAX];
	struct level *v = y->depth > 0 ? &y->levels[y->depth - 1] : NULL;
	struct bytes where = bytes_of(path, config_here(y->c, v != NULL ? v->name : bytes_of(NULL, 0), path));

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (config_begins(tag, calls[i])) {
			size_t n = strlen(calls[i]);

			config_is(y->c, CONFIG_HYPERPYYAML);
			config_call(y->c, bytes_of(tag.at + n, tag.n - n), where, at);
			return true;
		}
	if (config_begins(tag, "!module:"))
		config_import(y->c, bytes_of(tag.at + 8, tag.n - 8), where, at);
	else if (config_begins(tag, "!include:"))
		config_include(y->c, bytes_of(tag.at + 9, tag.n - 9), NULL, where, at);
	else
		return bytes_equal(tag, bytes_of_text("!ref")) || bytes_equal(tag, bytes_of_text("!copy")) ||
		       bytes_equal(tag, bytes_of_text("!PLACEHOLDER")) || bytes_equal(tag, bytes_of_text("!tuple"));
	config_is(y->c, CONFIG_HYPERPYYAML);
	return true;
}

void yaml_tell_tag(struct yaml *y, struct bytes tag, uint64_t at)
{
	static const char says[] =
	    "function func fn import imports eval exec py python call lambda obj object class cls "
	    "module pickle load code script sh shell cmd command";
	static const char core[] = "str int float bool null map seq set omap pairs binary timestamp merge value";

	if (tag.n <= 1 || tell_hyper(y, tag, at))
		return;
	if (config_begins(tag, CORE "python/") || config_begins(tag, "!python/")) {
		if (tag.at[0] == '!')
			yaml_tell(y, WLK_F_CONFIG_YAML_TAG, tag, at);
		else
			tell_python(y, tag, at);
	} else if (is_foreign(tag) || (config_begins(tag, CORE "java"))) {
		yaml_tell(y, WLK_F_CONFIG_YAML_FOREIGN, tag, at);
	} else if (config_begins(tag, CORE) &&
		   config_is_word_of(bytes_of(tag.at + strlen(CORE), tag.n - strlen(CORE)), core)) {
		return;
	} else if (config_begins(tag, "tag:unity3d.com,")) {
		yaml_tell(y, WLK_F_CONFIG_YAML_TAG_LOCAL, tag, at);
	} else {
		struct bytes rest = bytes_of(tag.at + 1, tag.n - 1);
		/* lm-evaluation-harness' !function imports utils.py beside the file; others call what they say. */
		bool names = config_is_word_of(rest, says) || config_holds(rest, ":") || config_holds(rest, ".") ||
			     config_has_family(y->c);

		yaml_tell(y, names ? WLK_F_CONFIG_YAML_TAG : WLK_F_CONFIG_YAML_TAG_LOCAL, tag, at);
	}
}
