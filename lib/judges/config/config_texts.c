/* What a text of a configuration is: a path, an expression, an interpolation.  Formats/configs, sections 1 and 3.3. */
#include <strings.h>

#include "config_impl.h"

/* -- truth -- */

bool config_is_true(const struct config_node *n)
{
	switch (n->type) {
	case CONFIG_TRUE: return true;
	case CONFIG_NUMBER: return !bytes_equal(n->text, bytes_of_text("0"));
	case CONFIG_TEXT: /* Python takes any for true; those who write these mean the other */
		return n->text.n > 0 && !config_is_word_of(n->text,
					    "false False FALSE no No NO n N off Off OFF 0 none None NONE null y Y");
	case CONFIG_MAP:
	case CONFIG_LIST: return n->n > 0;
	default: return false;
	}
}

/* -- paths -- */

static bool is_separator(uint8_t c)
{
	return c == '/' || c == '\\';
}

/* Two dots between separators or ends. */
static bool climbs(struct bytes path)
{
	for (size_t i = 0; i + 1 < path.n; i++)
		if (path.at[i] == '.' && path.at[i + 1] == '.' && (i == 0 || is_separator(path.at[i - 1])) &&
		    (i + 2 == path.n || is_separator(path.at[i + 2])))
			return true;
	return false;
}

/* file:, in any case: schemes have none. */
static bool is_of_this_machine(struct bytes path)
{
	static const char scheme[] = "file:";

	return path.n >= strlen(scheme) && strncasecmp((const char *)path.at, scheme, strlen(scheme)) == 0;
}

static bool is_absolute(struct bytes path)
{
	bool drive = path.n > 2 && path.at[1] == ':' && is_separator(path.at[2]);

	return drive || (path.n > 0 && (is_separator(path.at[0]) || path.at[0] == '~')) || is_of_this_machine(path);
}

enum wlk_finding config_path_fault(struct bytes path)
{
	if (config_holds(path, "://") && !is_of_this_machine(path))
		return 0; /* an address: no file of this machine */
	if (climbs(path))
		return WLK_F_CONFIG_PATH_ESCAPE;
	return is_absolute(path) ? WLK_F_CONFIG_PATH_ABSOLUTE : 0;
}

bool config_is_library(struct bytes path)
{
	const uint8_t *so = path.n > 4 ? memmem(path.at, path.n, ".so.", 4) : NULL;

	return config_ends(path, ".so") || config_ends(path, ".dll") || config_ends(path, ".dylib") ||
	       config_ends(path, ".pyd") ||
	       (so != NULL && (size_t)(so - path.at) + 4 < path.n && so[4] >= '0' && so[4] <= '9');
}

/* -- expressions -- */

static bool is_word_byte(uint8_t c)
{
	return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* A word with the dots in it, and where what follows it begins. */
static struct bytes word_at(struct bytes text, size_t at, size_t *ret_next)
{
	size_t end = at, next;

	while (end < text.n && (is_word_byte(text.at[end]) || text.at[end] == '.'))
		end++;
	for (next = end; next < text.n && (text.at[next] == ' ' || text.at[next] == '\t');)
		next++;
	*ret_next = next;
	return bytes_of(text.at + at, end - at);
}

static bool is_ordinary_os(struct bytes name)
{
	return config_begins(name, "os.path.") ||
	       config_is_word_of(name, "os.environ.get os.getcwd os.listdir os.makedirs os.sep");
}

static bool is_dangerous_word(struct bytes word, bool called)
{
	if (config_holds(word, "__"))
		return true;
	return called && (config_is_word_of(word, "eval exec compile open getattr setattr") ||
			     (!is_ordinary_os(word) && config_name_standing(word, NULL, NULL) == CONFIG_NAME_DENIED));
}

enum wlk_finding config_expression_fault(struct bytes text)
{
	for (size_t i = 0, next; i<text.n; i = next> i ? next : i + 1) {
		struct bytes word;

		next = i + 1;
		if (!is_word_byte(text.at[i]))
			continue;
		word = word_at(text, i, &next);
		if (is_dangerous_word(word, next < text.n && text.at[next] == '('))
			return WLK_F_CONFIG_EXPRESSION_DANGEROUS;
	}
	return WLK_F_CONFIG_EXPRESSION;
}

/* Over a text in quotes, from the quote at @at. */
static size_t skip_quoted(struct bytes text, size_t at)
{
	uint8_t quote = text.at[at++];

	while (at < text.n && text.at[at] != quote)
		at += text.at[at] == '\\' ? 2 : 1;
	return at < text.n ? at + 1 : text.n;
}

/* Numbers, texts, lists, tuples, mappings, True, False, None, signs: nothing that is called or looked up. */
enum wlk_finding config_literal_fault(struct bytes text)
{
	for (size_t i = 0; i < text.n;) {
		uint8_t c = text.at[i];
		struct bytes word;
		size_t next;

		if (c == '"' || c == '\'') {
			i = skip_quoted(text, i);
		} else if (is_word_byte(c)) {
			word = word_at(text, i, &next);
			if (!(c >= '0' && c <= '9') && !config_is_word_of(word, "True False None"))
				return config_holds(text, "(") || config_holds(text, "__")
					   ? WLK_F_CONFIG_EXPRESSION_DANGEROUS
					   : WLK_F_CONFIG_EXPRESSION;
			i = next;
		} else if (memchr("[](){},:+-. \t\r\n", c, 15) != NULL) {
			i++;
		} else {
			return WLK_F_CONFIG_EXPRESSION;
		}
	}
	return 0;
}

#define PRODUCT_BYTES 1024u /* fairseq's longest has some hundreds */

enum wlk_finding config_product_fault(struct bytes text)
{
	uint8_t buf[PRODUCT_BYTES];

	if (text.n > sizeof(buf))
		return WLK_F_CONFIG_EXPRESSION;
	for (size_t i = 0; i < text.n; i++) {
		if (text.at[i] == '*' && (i + 1 == text.n || text.at[i + 1] == '*'))
			return WLK_F_CONFIG_EXPRESSION;
		buf[i] = text.at[i] == '*' ? '+' : text.at[i];
	}
	return config_literal_fault(bytes_of(buf, text.n));
}

/* -- texts under any key -- */

/* Files of the machine that no model is made of, under whatever key: what opens it is another's bug, and this its lever. */
static bool names_secret_file(struct bytes text)
{
	static const char *const files[] = { "etc/passwd", "etc/shadow", "proc/self/", "/.ssh/", "/.aws/", "/.netrc",
		"/.git-credentials", "/.kube/config", "/.docker/config.json" };

	if (text.n < 8 || text.n > CONFIG_NAME_MAX || memchr(text.at, '/', text.n) == NULL ||
	    memchr(text.at, ' ', text.n) != NULL)
		return false;
	if (!config_holds(text, "etc/") && !config_holds(text, "proc/") && !config_holds(text, "/."))
		return false;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (config_holds(text, files[i]))
			return true;
	return false;
}

/* What runs something whoever calls it: found as a value of keys that nobody knows. */
static const char deadly[] =
    "os.system os.popen posix.system posix.popen nt.system os.execl os.execle os.execlp os.execlpe os.execv os.execve "
    "os.execvp os.execvpe os.spawnl os.spawnv os.spawnvp os.startfile os.posix_spawn subprocess.Popen subprocess.run "
    "subprocess.call subprocess.check_call subprocess.check_output subprocess.getoutput subprocess.getstatusoutput "
    "builtins.eval builtins.exec builtins.compile builtins.__import__ importlib.import_module runpy.run_path "
    "runpy.run_module runpy._run_code pty.spawn pickle.load pickle.loads dill.load dill.loads cloudpickle.load "
    "cloudpickle.loads joblib.load marshal.load marshal.loads ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.PyDLL "
    "commands.getoutput platform.popen torch.hub.load webbrowser.open shutil.rmtree";

static bool is_deadly(struct bytes text)
{
	return text.n >= 8 && text.n <= 32 && memchr("opnsbirdcjmtwl", text.at[0], 14) != NULL &&
	       memchr(text.at, '.', text.n) != NULL && config_is_word_of(text, deadly);
}

static bool has_token(struct bytes text)
{
	static const char *const tokens[] = { "__import__(", "__builtins__", "__subclasses__", "__globals__" };

	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++)
		if (config_holds(text, tokens[i]))
			return true;
	return false;
}

bool config_text_calls(struct bytes text)
{
	static const char *const calls[] = { "exec(", "eval(", "compile(", "os.system(", "os.popen(", "subprocess.",
		"importlib.", "builtins.", "getattr(__" };

	while (text.n > 0 && (text.at[0] == ' ' || text.at[0] == '"' || text.at[0] == '\'' || text.at[0] == '('))
		text = bytes_of(text.at + 1, text.n - 1);
	if (text.n < 6 || memchr("ecosibg_", text.at[0], 8) == NULL || memchr(text.at, '(', text.n) == NULL)
		return text.n > 12 && memmem(text.at, text.n, "__", 2) != NULL && has_token(text);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (config_begins(text, calls[i]))
			return true;
	return has_token(text);
}

/* A dunder between a brace and the next one that closes, and an attribute or a key by what stands before it. */
static bool reaches_at(struct bytes text, size_t at, enum config_braces braces)
{
	size_t open = at;

	while (open > 0 && at - open < CONFIG_NAME_MAX && text.at[open - 1] != '{' && text.at[open - 1] != '}')
		open--;
	if (open == 0 || text.at[open - 1] != '{')
		return false;
	if ((open > 1 && text.at[open - 2] == '{') || (open < text.n && text.at[open] == '%'))
		return (braces & CONFIG_BRACES_TWO) != 0;
	return (braces & CONFIG_BRACES_ONE) != 0;
}

bool config_text_reaches(struct bytes text, enum config_braces braces)
{
	const uint8_t *p = text.at, *end = text.at + text.n;

	if (text.n < 10 || memchr(text.at, '{', text.n) == NULL)
		return false;
	while ((p = memmem(p, (size_t)(end - p), "__", 2)) != NULL) {
		const uint8_t *close = memmem(p + 2, (size_t)(end - p) - 2, "__", 2);

		if (p > text.at && memchr(".'\"[", p[-1], 4) != NULL && close != NULL && close - p < 24 &&
		    close - p > 2 && reaches_at(text, (size_t)(p - text.at), braces))
			return true;
		p += 2;
	}
	return false;
}

bool config_value_is_filled_in(struct bytes text)
{
	return (text.at[0] == '$' && text.n > 1) || memmem(text.at, text.n, "${", 2) != NULL;
}

/* webdataset/gopen.py, gopen_pipe(): what stands behind it is a shell's. */
static bool is_pipe(struct bytes text)
{
	return text.n > 6 && text.at[0] == 'p' && config_begins(text, "pipe:") &&
	       memchr(text.at, ' ', text.n) != NULL && text.at[5] != ' ';
}

bool config_value_is_odd(struct bytes text)
{
	if (text.n < 2)
		return false;
	return text.at[0] == '$' || config_begins(text, "ext://") || is_pipe(text) ||
	       (text.at[0] == '%' && text.n > 3 && config_holds(text, "::")) || is_deadly(text) ||
	       memmem(text.at, text.n, "${", 2) != NULL || names_secret_file(text) || config_text_calls(text);
}

static bool is_secret(struct bytes name)
{
	static const char *const words[] = { "KEY", "SECRET", "TOKEN", "PASS", "CRED", "AWS", "key", "secret",
		"token" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (config_holds(name, words[i]))
			return true;
	return false;
}

static struct bytes without_blanks(struct bytes b) /* OmegaConf's grammar lets them stand around a name */
{
	while (b.n > 0 && (b.at[0] == ' ' || b.at[0] == '\t'))
		b = bytes_of(b.at + 1, b.n - 1);
	while (b.n > 0 && (b.at[b.n - 1] == ' ' || b.at[b.n - 1] == '\t'))
		b.n--;
	return b;
}

static struct bytes without_quotes(struct bytes b)
{
	if (b.n > 1 && (b.at[0] == '"' || b.at[0] == '\'') && b.at[b.n - 1] == b.at[0])
		return bytes_of(b.at + 1, b.n - 2);
	return b;
}

/* The colon behind the resolver's name; those of what is filled in within it are others'. */
static const uint8_t *find_colon(struct bytes inner)
{
	unsigned depth = 0;

	for (size_t i = 0; i < inner.n; i++) {
		depth += inner.at[i] == '{';
		depth -= inner.at[i] == '}' && depth > 0;
		if (inner.at[i] == ':' && depth == 0)
			return inner.at + i;
	}
	return NULL;
}

/* omegaconf/resolvers/oc/__init__.py, coerce(): the type is imported, part after part, before it is asked what it is. */
static enum wlk_finding coerced_fault(struct bytes rest)
{
	const uint8_t *comma = memchr(rest.at, ',', rest.n);
	struct bytes type =
	    without_quotes(without_blanks(bytes_of(rest.at, comma != NULL ? (size_t)(comma - rest.at) : rest.n)));
	enum config_standing s;

	if (!config_holds(type, ".") && !config_holds(type, "{"))
		return 0;
	s = config_name_standing(type, "=pathlib.Path =types.NoneType", NULL);
	return s == CONFIG_NAME_DENIED     ? WLK_F_CONFIG_IMPORT
	       : s == CONFIG_NAME_UNLISTED ? WLK_F_CONFIG_IMPORT_UNLISTED
					   : 0;
}

/* ${get_class:a.B}: of a program's own resolvers, those that say in their names that they import what they are given. */
static enum wlk_finding resolver_fault(struct bytes name, struct bytes rest)
{
	static const char *const words[] = { "class", "cls", "method", "import", "func", "callable", "object",
		"locate" };
	enum config_standing s;

	if (config_text_calls(rest))
		return WLK_F_CONFIG_EXPRESSION;
	if (bytes_equal(name, bytes_of_text("oc.coerce")))
		return coerced_fault(rest);
	if (config_name_is_denied_itself(rest))
		return WLK_F_CONFIG_TARGET_UNLISTED;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (config_holds(name, words[i]) && config_is_name(rest) && memchr(rest.at, '.', rest.n) != NULL) {
			s = config_name_standing(rest, NULL, NULL);
			return s == CONFIG_NAME_DENIED || s == CONFIG_NAME_UNLISTED ? WLK_F_CONFIG_TARGET_UNLISTED : 0;
		}
	return 0;
}

/* What stands between ${ and its }. */
static enum wlk_finding interpolation_fault(struct bytes inner)
{
	const uint8_t *colon = find_colon(inner);
	struct bytes name, rest;

	if (colon == NULL)
		return 0;
	name = without_blanks(bytes_of(inner.at, (size_t)(colon - inner.at)));
	rest = bytes_of(colon + 1, inner.n - (size_t)(colon + 1 - inner.at));
	if (config_holds(name, "${")) /* whichever it is */
		return WLK_F_CONFIG_EXPRESSION;
	if (config_is_word_of(name, "oc.env env"))
		return is_secret(rest) || config_holds(rest, "${") ? WLK_F_CONFIG_ENVIRONMENT_SECRET
								   : WLK_F_CONFIG_ENVIRONMENT;
	if (bytes_equal(name, bytes_of_text("file"))) /* of Prompty's, and of OmegaConf's where a program has one */
		return config_path_fault(without_blanks(rest));
	if (!config_is_word_of(name, "eval oc.eval python py exec lambda"))
		return resolver_fault(name, without_blanks(rest));
	return config_holds(rest, "(") || config_holds(rest, "__") ? WLK_F_CONFIG_EXPRESSION_DANGEROUS
								   : WLK_F_CONFIG_EXPRESSION;
}

/* Up to the brace that closes what @text begins with; all of it when none does. */
static struct bytes up_to_brace(struct bytes text)
{
	unsigned depth = 1;

	for (size_t i = 0; i < text.n; i++) {
		depth += text.at[i] == '{';
		depth -= text.at[i] == '}';
		if (depth == 0)
			return bytes_of(text.at, i);
	}
	return text;
}

#define FILLED_IN_MAX 64u /* in one text: each is looked at to its end */

/* The worst of all that is filled in: by severity. */
static enum wlk_finding interpolations_fault(struct bytes text)
{
	enum wlk_finding worst = 0;
	unsigned n = 0;

	for (size_t i = 0; i + 2 < text.n; i++) {
		enum wlk_finding fault;

		if (text.at[i] != '$' || text.at[i + 1] != '{')
			continue;
		if (text.at[i + 2] == '{') { /* build services fill these in, no loader */
			i += 2;
			continue;
		}
		if (++n > FILLED_IN_MAX)
			return WLK_F_CONFIG_EXPRESSION;
		fault = interpolation_fault(up_to_brace(bytes_of(text.at + i + 2, text.n - i - 2)));
		if (worst == 0 || (fault != 0 && finding_info(fault)->severity > finding_info(worst)->severity))
			worst = fault;
	}
	return worst;
}

/* logging.config's: imported and looked up, whatever the key. */
static enum wlk_finding external_fault(struct bytes text)
{
	static const char streams[] = "=sys.stdout =sys.stderr =sys.stdin";
	enum config_standing s;

	if (!config_begins(text, "ext://"))
		return 0;
	s = config_name_standing(bytes_of(text.at + 6, text.n - 6), streams, NULL);
	return s == CONFIG_NAME_DENIED     ? WLK_F_CONFIG_IMPORT
	       : s == CONFIG_NAME_UNLISTED ? WLK_F_CONFIG_IMPORT_UNLISTED
					   : 0;
}

enum wlk_finding config_value_fault(struct bytes text)
{
	enum wlk_finding fault = interpolations_fault(text);

	if (fault == 0)
		fault = external_fault(text);
	if (fault != 0)
		return fault;
	if (is_deadly(text))
		return WLK_F_CONFIG_TARGET_UNLISTED;
	if (is_pipe(text))
		return WLK_F_CONFIG_COMMAND;
	if (names_secret_file(text))
		return climbs(text) ? WLK_F_CONFIG_PATH_ESCAPE : WLK_F_CONFIG_PATH_ABSOLUTE;
	return config_text_calls(text) ? WLK_F_CONFIG_EXPRESSION : 0;
}
