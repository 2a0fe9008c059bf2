/* Python 2's names and what Python 3 calls them: pickle's fix_imports, which loaders apply to protocols 0 to 2 and torch
 * to all.  The pairs are those of CPython 3.11's _compat_pickle; a test compares. */
#include <string.h>

#include "machine.h"

struct moved {
	const char *module, *name; /* name NULL: every name of the module that has no row of its own */
	const char *new_module, *new_name;
};

/* Sorted by module, then name. */
static const struct moved moved_names[] = {
	{ "UserDict", "IterableUserDict", "collections", "UserDict" },
	{ "UserDict", "UserDict", "collections", "UserDict" },
	{ "UserList", "UserList", "collections", "UserList" },
	{ "UserString", "UserString", "collections", "UserString" },
	{ "__builtin__", "basestring", "builtins", "str" },
	{ "__builtin__", "intern", "sys", "intern" },
	{ "__builtin__", "long", "builtins", "int" },
	{ "__builtin__", "reduce", "functools", "reduce" },
	{ "__builtin__", "unichr", "builtins", "chr" },
	{ "__builtin__", "unicode", "builtins", "str" },
	{ "__builtin__", "xrange", "builtins", "range" },
	{ "_multiprocessing", "Connection", "multiprocessing.connection", "Connection" },
	{ "_socket", "fromfd", "socket", "fromfd" },
	{ "exceptions", "ArithmeticError", "builtins", "ArithmeticError" },
	{ "exceptions", "AssertionError", "builtins", "AssertionError" },
	{ "exceptions", "AttributeError", "builtins", "AttributeError" },
	{ "exceptions", "BaseException", "builtins", "BaseException" },
	{ "exceptions", "BufferError", "builtins", "BufferError" },
	{ "exceptions", "BytesWarning", "builtins", "BytesWarning" },
	{ "exceptions", "DeprecationWarning", "builtins", "DeprecationWarning" },
	{ "exceptions", "EOFError", "builtins", "EOFError" },
	{ "exceptions", "EnvironmentError", "builtins", "EnvironmentError" },
	{ "exceptions", "Exception", "builtins", "Exception" },
	{ "exceptions", "FloatingPointError", "builtins", "FloatingPointError" },
	{ "exceptions", "FutureWarning", "builtins", "FutureWarning" },
	{ "exceptions", "GeneratorExit", "builtins", "GeneratorExit" },
	{ "exceptions", "IOError", "builtins", "IOError" },
	{ "exceptions", "ImportError", "builtins", "ImportError" },
	{ "exceptions", "ImportWarning", "builtins", "ImportWarning" },
	{ "exceptions", "IndentationError", "builtins", "IndentationError" },
	{ "exceptions", "IndexError", "builtins", "IndexError" },
	{ "exceptions", "KeyError", "builtins", "KeyError" },
	{ "exceptions", "KeyboardInterrupt", "builtins", "KeyboardInterrupt" },
	{ "exceptions", "LookupError", "builtins", "LookupError" },
	{ "exceptions", "MemoryError", "builtins", "MemoryError" },
	{ "exceptions", "NameError", "builtins", "NameError" },
	{ "exceptions", "NotImplementedError", "builtins", "NotImplementedError" },
	{ "exceptions", "OSError", "builtins", "OSError" },
	{ "exceptions", "OverflowError", "builtins", "OverflowError" },
	{ "exceptions", "PendingDeprecationWarning", "builtins", "PendingDeprecationWarning" },
	{ "exceptions", "ReferenceError", "builtins", "ReferenceError" },
	{ "exceptions", "RuntimeError", "builtins", "RuntimeError" },
	{ "exceptions", "RuntimeWarning", "builtins", "RuntimeWarning" },
	{ "exceptions", "StandardError", "builtins", "Exception" },
	{ "exceptions", "StopIteration", "builtins", "StopIteration" },
	{ "exceptions", "SyntaxError", "builtins", "SyntaxError" },
	{ "exceptions", "SyntaxWarning", "builtins", "SyntaxWarning" },
	{ "exceptions", "SystemError", "builtins", "SystemError" },
	{ "exceptions", "SystemExit", "builtins", "SystemExit" },
	{ "exceptions", "TabError", "builtins", "TabError" },
	{ "exceptions", "TypeError", "builtins", "TypeError" },
	{ "exceptions", "UnboundLocalError", "builtins", "UnboundLocalError" },
	{ "exceptions", "UnicodeDecodeError", "builtins", "UnicodeDecodeError" },
	{ "exceptions", "UnicodeEncodeError", "builtins", "UnicodeEncodeError" },
	{ "exceptions", "UnicodeError", "builtins", "UnicodeError" },
	{ "exceptions", "UnicodeTranslateError", "builtins", "UnicodeTranslateError" },
	{ "exceptions", "UnicodeWarning", "builtins", "UnicodeWarning" },
	{ "exceptions", "UserWarning", "builtins", "UserWarning" },
	{ "exceptions", "ValueError", "builtins", "ValueError" },
	{ "exceptions", "Warning", "builtins", "Warning" },
	{ "exceptions", "ZeroDivisionError", "builtins", "ZeroDivisionError" },
	{ "itertools", "ifilter", "builtins", "filter" },
	{ "itertools", "ifilterfalse", "itertools", "filterfalse" },
	{ "itertools", "imap", "builtins", "map" },
	{ "itertools", "izip", "builtins", "zip" },
	{ "itertools", "izip_longest", "itertools", "zip_longest" },
	{ "multiprocessing", "AuthenticationError", "multiprocessing.context", "AuthenticationError" },
	{ "multiprocessing", "BufferTooShort", "multiprocessing.context", "BufferTooShort" },
	{ "multiprocessing", "ProcessError", "multiprocessing.context", "ProcessError" },
	{ "multiprocessing", "TimeoutError", "multiprocessing.context", "TimeoutError" },
	{ "multiprocessing.forking", "Popen", "multiprocessing.popen_fork", "Popen" },
	{ "multiprocessing.process", "Process", "multiprocessing.context", "Process" },
	{ "socket", "_socketobject", "socket", "SocketType" },
	{ "urllib", "ContentTooShortError", "urllib.error", "ContentTooShortError" },
	{ "urllib", "getproxies", "urllib.request", "getproxies" },
	{ "urllib", "pathname2url", "urllib.request", "pathname2url" },
	{ "urllib", "quote", "urllib.parse", "quote" },
	{ "urllib", "quote_plus", "urllib.parse", "quote_plus" },
	{ "urllib", "unquote", "urllib.parse", "unquote" },
	{ "urllib", "unquote_plus", "urllib.parse", "unquote_plus" },
	{ "urllib", "url2pathname", "urllib.request", "url2pathname" },
	{ "urllib", "urlcleanup", "urllib.request", "urlcleanup" },
	{ "urllib", "urlencode", "urllib.parse", "urlencode" },
	{ "urllib", "urlopen", "urllib.request", "urlopen" },
	{ "urllib", "urlretrieve", "urllib.request", "urlretrieve" },
	{ "urllib2", "HTTPError", "urllib.error", "HTTPError" },
	{ "urllib2", "URLError", "urllib.error", "URLError" },
	{ "whichdb", "whichdb", "dbm", "whichdb" },
};

/* Sorted by module. */
static const struct moved moved_modules[] = {
	{ "BaseHTTPServer", NULL, "http.server", NULL },
	{ "CGIHTTPServer", NULL, "http.server", NULL },
	{ "ConfigParser", NULL, "configparser", NULL },
	{ "Cookie", NULL, "http.cookies", NULL },
	{ "Dialog", NULL, "tkinter.dialog", NULL },
	{ "DocXMLRPCServer", NULL, "xmlrpc.server", NULL },
	{ "FileDialog", NULL, "tkinter.filedialog", NULL },
	{ "HTMLParser", NULL, "html.parser", NULL },
	{ "Queue", NULL, "queue", NULL },
	{ "ScrolledText", NULL, "tkinter.scrolledtext", NULL },
	{ "SimpleDialog", NULL, "tkinter.simpledialog", NULL },
	{ "SimpleHTTPServer", NULL, "http.server", NULL },
	{ "SimpleXMLRPCServer", NULL, "xmlrpc.server", NULL },
	{ "SocketServer", NULL, "socketserver", NULL },
	{ "StringIO", NULL, "io", NULL },
	{ "Tix", NULL, "tkinter.tix", NULL },
	{ "Tkconstants", NULL, "tkinter.constants", NULL },
	{ "Tkdnd", NULL, "tkinter.dnd", NULL },
	{ "Tkinter", NULL, "tkinter", NULL },
	{ "UserDict", NULL, "collections", NULL },
	{ "UserList", NULL, "collections", NULL },
	{ "UserString", NULL, "collections", NULL },
	{ "__builtin__", NULL, "builtins", NULL },
	{ "_abcoll", NULL, "collections.abc", NULL },
	{ "_elementtree", NULL, "xml.etree.ElementTree", NULL },
	{ "_winreg", NULL, "winreg", NULL },
	{ "anydbm", NULL, "dbm", NULL },
	{ "cPickle", NULL, "pickle", NULL },
	{ "cStringIO", NULL, "io", NULL },
	{ "commands", NULL, "subprocess", NULL },
	{ "cookielib", NULL, "http.cookiejar", NULL },
	{ "copy_reg", NULL, "copyreg", NULL },
	{ "dbhash", NULL, "dbm.bsd", NULL },
	{ "dbm", NULL, "dbm.ndbm", NULL },
	{ "dumbdbm", NULL, "dbm.dumb", NULL },
	{ "dummy_thread", NULL, "_dummy_thread", NULL },
	{ "gdbm", NULL, "dbm.gnu", NULL },
	{ "htmlentitydefs", NULL, "html.entities", NULL },
	{ "httplib", NULL, "http.client", NULL },
	{ "markupbase", NULL, "_markupbase", NULL },
	{ "repr", NULL, "reprlib", NULL },
	{ "robotparser", NULL, "urllib.robotparser", NULL },
	{ "test.test_support", NULL, "test.support", NULL },
	{ "thread", NULL, "_thread", NULL },
	{ "tkColorChooser", NULL, "tkinter.colorchooser", NULL },
	{ "tkCommonDialog", NULL, "tkinter.commondialog", NULL },
	{ "tkFileDialog", NULL, "tkinter.filedialog", NULL },
	{ "tkFont", NULL, "tkinter.font", NULL },
	{ "tkMessageBox", NULL, "tkinter.messagebox", NULL },
	{ "tkSimpleDialog", NULL, "tkinter.simpledialog", NULL },
	{ "ttk", NULL, "tkinter.ttk", NULL },
	{ "urllib2", NULL, "urllib.request", NULL },
	{ "urlparse", NULL, "urllib.parse", NULL },
	{ "whichdb", NULL, "dbm", NULL },
	{ "xmlrpclib", NULL, "xmlrpc.client", NULL },
};

static int compare(struct bytes a, const char *b)
{
	size_t n = strlen(b), common = a.n < n ? a.n : n;
	int order = common > 0 ? memcmp(a.at, b, common) : 0;

	return order != 0 ? order : (a.n > n) - (a.n < n);
}

static const struct moved *find(const struct moved *rows, size_t n, struct bytes module, struct bytes name)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = compare(module, rows[mid].module);

		if (order == 0 && rows[mid].name != NULL)
			order = compare(name, rows[mid].name);
		if (order == 0)
			return &rows[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

void compat_map(struct bytes *module, struct bytes *name)
{
	const struct moved *m = find(moved_names, sizeof(moved_names) / sizeof(moved_names[0]), *module, *name);

	if (m == NULL)
		m = find(moved_modules, sizeof(moved_modules) / sizeof(moved_modules[0]), *module, *name);
	if (m == NULL)
		return;
	*module = bytes_of_text(m->new_module);
	if (m->new_name != NULL)
		*name = bytes_of_text(m->new_name);
}
