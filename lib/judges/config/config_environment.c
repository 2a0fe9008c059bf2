/* Files that are read without being asked for beside what a person runs: .env, which python-dotenv, pipenv, docker compose, editors
 * and LangGraph's command take as the process's environment, and prompts of Prompty (microsoft/prompty).  Formats/configs, 2.3. */
#include "config_impl.h"
#include "config_lines.h"
#include "config_yaml_events.h"

/* -- .env -- */

/* ld.so(8), dyld(1): opened in every program that is started from then on.  A bare name, or one of the system's folders, is no file
 * of the model's. */
static bool is_foreign_library(struct bytes value)
{
	return memchr(value.at, '/', value.n) != NULL && !config_begins(value, "/usr/") &&
	       !config_begins(value, "/lib") && !config_begins(value, "/opt/");
}

/* Folders in which libraries are looked for, before the system's: those beside the file. */
static bool names_folder_here(struct bytes list)
{
	for (size_t from = 0, i = 0; i <= list.n; i++) {
		struct bytes folder = bytes_of(list.at + from, i - from);

		if (i < list.n && list.at[i] != ':')
			continue;
		if (folder.n > 0 && memchr("/$~%", folder.at[0], 4) == NULL)
			return true;
		from = i + 1;
	}
	return false;
}

/* Opened by dlopen() as they are told, or by what they configure: iconv(3), cuDriver's injection, NCCL's plug-ins
 * (docs.nvidia.com/nccl, "Environment Variables"), jax' plug-ins, config(5ssl).  A bare name is looked for where libraries are. */
static const char opening[] =
    "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH CUDA_INJECTION64_PATH NCCL_NET_PLUGIN "
    "NCCL_TUNER_PLUGIN NCCL_PROFILER_PLUGIN TPU_LIBRARY_PATH PJRT_PLUGIN_LIBRARY_PATH "
    "OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES";

/* huggingface_hub/constants.py, modelscope/utils/constant.py: where models, and code with them, are fetched from.  The hubs' own are
 * what stands there without this. */
static bool is_foreign_hub(struct bytes value)
{
	static const char *const hubs[] = { "https://huggingface.co", "https://hf.co", "https://www.modelscope.cn",
		"https://modelscope.cn", "https://modelscope.ai", "https://www.modelscope.ai", "www.modelscope.cn" };

	while (value.n > 0 && value.at[value.n - 1] == '/')
		value.n--;
	for (size_t i = 0; i < sizeof(hubs) / sizeof(hubs[0]); i++)
		if (bytes_equal(value, bytes_of_text(hubs[i])))
			return false;
	return !config_begins(value, "$");
}

/* matplotlib/rcsetup.py: module:// is imported as whatever draws; Jupyter's is what its kernels set. */
static bool is_foreign_backend(struct bytes value)
{
	return config_begins(value, "module://") && !config_begins(value, "module://matplotlib_inline") &&
	       !config_begins(value, "module://ipykernel") && !config_begins(value, "module://matplotlib.");
}

/* What interpreters run before the program that they are told. */
static bool starts_code(struct bytes name, struct bytes value)
{
	if (config_is_word_of(name, "PYTHONSTARTUP BASH_ENV PERL5OPT RUBYOPT GIT_SSH_COMMAND PROMPT_COMMAND"))
		return true;
	if (bytes_equal(name, bytes_of_text("NODE_OPTIONS")))
		return config_holds(value, "-r ") || config_holds(value, "require") || config_holds(value, "import") ||
		       config_holds(value, "loader");
	return config_is_word_of(name, "JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS") &&
	       (config_holds(value, "-javaagent") || config_holds(value, "-agent"));
}

/* Consent that belongs to the caller: of loaders, torch/serialization.py and vllm/envs.py. */
static bool is_switch(struct bytes name)
{
	return config_ends(name, "TRUST_REMOTE_CODE") || config_ends(name, "NO_WEIGHTS_ONLY_LOAD") ||
	       config_ends(name, "ALLOW_INSECURE_SERIALIZATION");
}

enum wlk_finding config_variable_fault(struct bytes name, struct bytes value)
{
	static const char off[] = "0 false False FALSE no No NO off OFF";

	if (config_is_word_of(name, opening))
		return is_foreign_library(value) ? WLK_F_CONFIG_LIBRARY : 0;
	if (config_is_word_of(name, "LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH"))
		return names_folder_here(value) ? WLK_F_CONFIG_LIBRARY : 0;
	if (config_is_word_of(name, "HF_ENDPOINT HF_CO_RESOLVE_ENDPOINT MODELSCOPE_ENDPOINT MODELSCOPE_DOMAIN"))
		return is_foreign_hub(value) ? WLK_F_CONFIG_REMOTE_CODE_GATED : 0;
	if (config_is_word_of(name, "MPLBACKEND"))
		return is_foreign_backend(value) ? WLK_F_CONFIG_IMPORT_UNLISTED : 0;
	if (is_switch(name))
		return config_is_word_of(value, off) ? 0 : WLK_F_CONFIG_TRUST_FLAG;
	if (config_is_word_of(name, "PIP_TRUSTED_HOST UV_INSECURE_HOST"))
		return WLK_F_CONFIG_REQUIREMENT_INSECURE;
	if (config_is_word_of(name, "PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX UV_INDEX_URL "
				    "UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL UV_FIND_LINKS"))
		return config_place_fault(value);
	return starts_code(name, value) ? WLK_F_CONFIG_COMMAND : 0;
}

static struct bytes without_quotes(struct bytes b)
{
	if (b.n > 1 && (b.at[0] == '"' || b.at[0] == '\'') && b.at[b.n - 1] == b.at[0])
		return bytes_of(b.at + 1, b.n - 2);
	return b;
}

void config_read_environment(struct config *c, struct bytes text)
{
	struct config_reader r = { .c = c, .text = text };

	config_open(c, CONFIG_MAP, config_no_key, 0);
	while (r.at < text.n && !c->failed) {
		uint64_t at = r.at;
		struct bytes line = config_trim(reader_line(&r, false)), name, value;
		const uint8_t *sign = line.n > 0 && line.at[0] != '#' ? memchr(line.at, '=', line.n) : NULL;
		enum wlk_finding fault;

		if (sign == NULL)
			continue;
		name = config_trim(bytes_of(line.at, (size_t)(sign - line.at)));
		value = without_quotes(config_trim(bytes_of(sign + 1, line.n - (size_t)(sign - line.at) - 1)));
		if (config_begins(name, "export "))
			name = config_trim(bytes_of(name.at + 7, name.n - 7));
		fault = value.n > 0 ? config_variable_fault(without_quotes(name), value) : 0;
		if (fault != 0)
			config_found(c, fault, value, name, at);
		else
			config_value(c, CONFIG_TEXT, config_lives(name), config_lives(value), at);
	}
}

/* -- .prompty: settings in YAML between two marks, and a template -- */

static bool is_mark(struct bytes text, size_t at)
{
	return text.n - at >= 3 && (memcmp(text.at + at, "---", 3) == 0 || memcmp(text.at + at, "+++", 3) == 0);
}

/* prompty/utils.py, parse(): from the first line that begins with a mark to the next mark, wherever that stands.  Return: all of it
 * where there is none. */
static size_t find_mark(struct bytes text, size_t from, bool at_line)
{
	bool begins = true;

	for (size_t i = from; i < text.n; i++) {
		if ((!at_line || begins) && is_mark(text, i))
			return i;
		begins =
		    text.at[i] == '\n' || (begins && (text.at[i] == ' ' || text.at[i] == '\t' || text.at[i] == '\r'));
	}
	return text.n;
}

/* The whole is held against the rules of templates: releases before 2.0 render it by Jinja without a sandbox (renderers.py), those for
 * JavaScript by Nunjucks (GHSA-w28w-gp39-m4p6).  YAML was read by FullLoader; ${file:x} is opened wherever it leads (core.py). */
void config_read_prompty(struct config *c, struct bytes text)
{
	size_t begin = find_mark(text, 0, true), end = begin < text.n ? find_mark(text, begin + 3, false) : 0;
	size_t body = end > 0 && end < text.n ? end + 3 : 0;
	bool whole;

	if (end > 0 && config_yaml_read(c, bytes_of(text.at + begin + 3, end - begin - 3), &whole) == WLK_INCOMPLETE)
		c->failed = true;
	if (!c->failed)
		config_check_template(c, bytes_of(text.at + body, text.n - body), bytes_of_text("template"), body);
}
