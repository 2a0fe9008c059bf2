/* The help texts, and finding the one somebody meant. */
#include "cli.h"

#include <getopt.h>
#include <string.h>

#include "policy.h"

static const char usage_main[] =
    "weighlock " WLK_VERSION " - validate untrusted machine-learning model files\n"
    "\n"
    "  weighlock scan [OPTION...] PATH...      judge files and folders\n"
    "  weighlock admit FILE... --into DIR      keep copies of what is accepted, and print their paths\n"
    "  weighlock exec --only DIR -- COMMAND    run a program that reads models in DIR only\n"
    "  weighlock convert IN -o OUT             take the tensors out, as safetensors\n"
    "  weighlock diff [OPTION...] A B          which tensors differ between two models\n"
    "  weighlock verdict-diff OLD NEW          what changed between two runs\n"
    "  weighlock identify [OPTION...] FILE...  what files are, and whether their names agree\n"
    "  weighlock inspect [OPTION...] FILE...   everything about a file on one page\n"
    "  weighlock case FILE...                  what to send with an appeal: all but the weights\n"
    "  weighlock rules [CODE]                  list what can be found, or explain one finding\n"
    "  weighlock formats                       list the formats that are read\n"
    "  weighlock policy check FILE             is this policy file sound?\n"
    "  weighlock policy show [NAME|FILE]       print the policy that applies\n"
    "  weighlock policy try NAME|FILE --against VERDICTS\n"
    "                                          what it would make of files judged before\n"
    "  weighlock exception add|list|revoke     files that people let pass in spite of what was found\n"
    "  weighlock report FILE                   count what scan --db has judged\n"
    "  weighlock store stats|get|gc|clear      look at the daemon's verdict store, or tidy it up\n"
    "  weighlock audit verify FILE...          is the daemon's audit log whole?\n"
    "  weighlock audit head                    where it stands, for somebody else to keep\n"
    "  weighlock audit erase|pseudonym         what it says of people, and what it says instead\n"
    "  weighlock verify --key KEY ENVELOPE [FILE...]\n"
    "                                          is this a signed verdict, and about these files?\n"
    "  weighlock metrics --textfile FILE       the daemon's numbers as a file for Prometheus\n"
    "  weighlock doctor [--socket]             show what the sandbox can do here, or the daemon's\n"
    "  weighlock help [COMMAND]                this text, or a command's\n"
    "  weighlock --version                     (-V and -h: of every command)\n"
    "\n"
    "Exit status of scan: 0 all accepted, 1 rejected or under review, 2 not fully examined,\n"
    "3 no model file, 4 usage; of diff: 0 the same, 1 different, 2 not judged, 4 usage.\n"
    "Manual: weighlock(1).\n";

static const char usage_scan[] =
    "usage: weighlock scan [OPTION...] PATH...\n"
    "\n"
    "Judge model files.  PATH is a file, a folder (walked in byte order) or - for standard input.\n"
    "Each file is read by a fresh jailed process.  A folder whose files speak about each other (an index\n"
    "and its shards, the parts of a split model) is judged as a set as well, after its files.\n"
    "\n"
    "  --socket[=PATH]       have the daemon on this socket judge, /run/weighlock/weighlock.sock where none is named;\n"
    "                        default: judge here\n"
    "  --policy NAME|FILE    default, ci, reference, strict, or a policy file (see weighlock.policy(5))\n"
    "  --pack NAME           names that pickles may import besides: those of a built-in pack, such as sklearn;\n"
    "                        may be repeated (see weighlock.policy(5))\n"
    "  --format text|json|sarif|junit|github|html|cyclonedx[=FILE]\n"
    "                        text for people; json: one verdict a line, in the order of the inputs; sarif,\n"
    "                        junit: documents for CI systems; github: text and annotations; html: a page with\n"
    "                        all that is known, a picture of each file's layout too; cyclonedx: a bill of\n"
    "                        materials (ML-BOM).  May be given several times, once without FILE; a FILE\n"
    "                        appears when it is whole\n"
    "  --include GLOB        of folders, look only at paths below them that match; may be repeated\n"
    "  --exclude GLOB        of folders, leave out files and folders that match; may be repeated\n"
    "  --ignore-file FILE    the same by the patterns of FILE, in the syntax of gitignore(5); a file below a folder "
    "is\n"
    "                        never looked for, and exempts nothing\n"
    "  --base REF            of folders in Git repositories, only what the branch changed since it left REF; no sets\n"
    "  --name TEXT           what to call standard input, in verdicts and for rules that go by names\n"
    "  --baseline FILE       findings that are known and set aside for a time (see weighlock.policy(5))\n"
    "  --exceptions FILE     what people let pass in spite of its findings (see weighlock exception)\n"
    "  --write-baseline FILE\n"
    "                        write such a file of what is found now\n"
    "  --save-policy FILE    propose a policy that accepts what is under review now: packs, and exceptions whose\n"
    "                        reasons are to be filled in\n"
    "  --db FILE             remember in FILE what was judged, and judge only what is new or changed; also goes\n"
    "                        on after an interruption.  See weighlock report\n"
    "  --outdated            with --db: only known files that newer rules, names or policy could judge otherwise\n"
    "  --verify              with --db: hash what seems unchanged\n"
    "  --fail-on review|reject|never\n"
    "                        which verdicts make the exit status 1; default: review and reject\n"
    "  --allow-empty         exit 0 instead of 3 when there is no model file\n"
    "  --tensors             list the tensors of each file: type, shape, offsets; minimum, maximum, mean and share\n"
    "                        of zeros\n"
    "  --tensor-digests      the same, and the SHA-256 of each tensor's bytes\n"
    "  --calls               say what loading each file would call, with all arguments\n"
    "  -j, --jobs N          files judged at a time; default: one for each CPU (also --workers N)\n"
    "  -q, --quiet           print only what is not accepted, and the totals\n"
    "  -v, --verbose         tell every finding and its reason; digest, weights, the jail, the time taken\n"
    "  --color auto|always|never\n"
    "  --no-progress         no progress line on the terminal\n"
    "  -h, --help\n"
    "\n"
    "Exit status:\n"
    "  0  every file was judged and accepted\n"
    "  1  a file or set was rejected or is under review (see --fail-on)\n"
    "  2  a file could not be fully examined, or the daemon is unreachable, whatever --fail-on says\n"
    "  3  no model file among the inputs\n"
    "  4  usage or configuration error\n"
    "1 wins over 2, and 2 over 3.\n"
    "\n"
    "Examples:\n"
    "  weighlock scan model.safetensors\n"
    "  weighlock scan --policy ci --format json . > verdicts.jsonl\n"
    "  weighlock scan --policy ci --format sarif=weighlock.sarif .\n"
    "  curl -s https://example.org/model.safetensors | weighlock scan --name model.safetensors -\n";

static const char usage_admit[] =
    "usage: weighlock admit [OPTION...] FILE... --into DIR\n"
    "\n"
    "Copy files, judge the copies, keep those that are accepted and print their paths, one a line:\n"
    "DIR/sha256/ab/cdef.../NAME.  A copy gets its name only after it was judged, so that whoever opens the\n"
    "path reads what was judged, whatever became of FILE.  DIR is made where it is missing; it must be of\n"
    "this user, and nobody else may be able to write in it or in a folder around it.\n"
    "\n"
    "  --into DIR            where they are kept\n"
    "  --policy NAME|FILE    as of scan\n"
    "  --socket PATH         have the daemon on this socket judge\n"
    "  -h, --help\n"
    "\n"
    "Exit status:\n"
    "  0  every file was accepted, and is kept\n"
    "  1  a file was rejected or is under review\n"
    "  2  a file could not be judged or kept\n"
    "  4  usage or configuration error\n"
    "1 wins over 2.\n"
    "\n"
    "Example: python3 load.py \"$(weighlock admit model.safetensors --into ~/models)\"\n";

static const char usage_exec[] =
    "usage: weighlock exec [OPTION...] --only DIR -- COMMAND...\n"
    "\n"
    "Run COMMAND so that it, and whatever it starts, can open files for reading below a folder of models only\n"
    "in DIR.  The kernel keeps that (Landlock); no rights are needed, and set-uid programs lose theirs.\n"
    "\n"
    "  --only DIR            what may be read: that of weighlock admit\n"
    "  --root DIR            the folder of models; may be repeated.  Default: the folder around that of --only\n"
    "  -h, --help\n"
    "\n"
    "It does not cover: files elsewhere, among them hard links and bind mounts of the same ones; what arrives\n"
    "by an open descriptor, a socket or the network; names and sizes; writing.  What is made in the folders\n"
    "around the folder of models after the start cannot be read.\n"
    "\n"
    "Exit status: that of COMMAND; 2 if it could not be confined or started; 4 for a mistake in the call.\n"
    "\n"
    "Example: weighlock exec --only ~/models/admitted -- python3 serve.py\n";

static const char usage_diff[] =
    "usage: weighlock diff [OPTION...] A B\n"
    "\n"
    "Tell which tensors differ between two models.  A and B are each a file, a folder (all tensors of its\n"
    "files, so that a model in other shards is the same model) or - for standard input.  Tensors are\n"
    "compared by name: type, shape, and the SHA-256 of their bytes.  Both are judged on the way, in the\n"
    "same jail as by scan; what is rejected is compared all the same, and named.\n"
    "\n"
    "  --format text|json    text for people: - only in A, + only in B, ~ changed, ? not compared;\n"
    "                        json: one object\n"
    "  --policy NAME|FILE    limits, and the names a pickle may import; default: default\n"
    "  -j, --jobs N          files judged at a time; default: one for each CPU (also --workers N)\n"
    "  -q, --quiet           print nothing; the exit status tells\n"
    "  --no-progress         no progress line on the terminal\n"
    "  -h, --help\n"
    "\n"
    "Exit status:\n"
    "  0  the same tensors\n"
    "  1  they differ\n"
    "  2  something could not be judged, or not all tensors are known\n"
    "  4  usage or configuration error\n"
    "2 wins over 1.\n"
    "\n"
    "Example: weighlock diff sharded/ merged.safetensors\n";

static const char usage_convert[] =
    "usage: weighlock convert [OPTION...] IN... -o OUT.safetensors\n"
    "\n"
    "Take the tensors out of model files and write them as safetensors.  Nothing of it is executed: a jailed\n"
    "process copies the elements, with their types, under the names that a state dict has for them.  OUT appears\n"
    "only after a second process has accepted it.  Read are PyTorch, safetensors, deathtensors, GGUF (types\n"
    "that are not quantised), npy and npz, Flax, HDF5 and Keras (contiguous data sets), ONNX initializers.\n"
    "\n"
    "  -o, --output OUT      the file to make; several INs become one\n"
    "  --shard-size SIZE     files of at most so much (5GB, 500MiB) and OUT.safetensors.index.json, if it takes "
    "several\n"
    "  --dtype TYPE          floats of the other sizes become such: F64, F32, F16 or BF16; default: types stay\n"
    "  --drop-code           also of a file that is not accepted: code is left behind, and what else is no tensor\n"
    "                        that can be converted; the output's metadata have the source's verdict\n"
    "  --force               replace OUT if it is there\n"
    "  --policy NAME|FILE    default, ci, reference, strict, or a policy file (see weighlock.policy(5))\n"
    "  --format text|json    default: text; json: one object with the source's verdict\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 OUT was made; 1 the source is not accepted, or its tensors cannot be converted;\n"
    "2 not examined, or not written; 4 usage or configuration error.\n"
    "\n"
    "Example:\n"
    "  weighlock convert --drop-code pytorch_model.bin -o model.safetensors\n";

static const char usage_verdict_diff[] =
    "usage: weighlock verdict-diff [OPTION...] OLD NEW\n"
    "\n"
    "Tell what changed between two runs of `weighlock scan --format json`: by another build, other rules,\n"
    "another policy, or over other files.  OLD and NEW are files of verdicts, one a line, or - for standard\n"
    "input.  Files are matched by name, findings by code, subject and member.\n"
    "\n"
    "  --format text|json    text for people: ~ changed, + only in NEW, - only in OLD;\n"
    "                        json: one object a line for each change\n"
    "  -q, --quiet           print nothing; the exit status tells\n"
    "  -h, --help\n"
    "\n"
    "Exit status:\n"
    "  0  the same verdicts for the same reasons\n"
    "  1  something changed\n"
    "  2  not all could be read\n"
    "  4  usage error\n"
    "\n"
    "Example: weighlock verdict-diff last-week.jsonl today.jsonl\n";

static const char usage_identify[] =
    "usage: weighlock identify [OPTION...] FILE...\n"
    "\n"
    "Tell what each file is by its content, what decided (a signature and where it is, or the file's\n"
    "structure), what its name suggests, and whether the two agree.  Nothing is judged: a file may be what\n"
    "its name says and do harm.  FILE is a file, a folder or - for standard input; each is read by a fresh\n"
    "jailed process.\n"
    "\n"
    "  --format text|json    text for people; json: one object a line, in the order of the inputs\n"
    "  -h, --help\n"
    "\n"
    "Exit status:\n"
    "  0  every file is known, and agrees with its name\n"
    "  1  a file is not known, or its name suggests something else\n"
    "  2  a file could not be read\n"
    "  4  usage or configuration error\n"
    "2 wins over 1.\n"
    "\n"
    "Example: weighlock identify downloads/\n";

static const char usage_inspect[] =
    "usage: weighlock inspect [OPTION...] FILE...\n"
    "\n"
    "Show everything that is known of a file: the verdict; what loading it would call, with all arguments;\n"
    "the members of an archive; what each of its bytes is, as a table and a bar; the bytes around what was\n"
    "found; the opcodes that lead to a call.  FILE is a file, a folder or - for standard input; each is read\n"
    "by a fresh jailed process.  What is shown is made of the file's bytes, as text that cannot act.\n"
    "\n"
    "  --policy NAME|FILE    judge by this policy; default: default\n"
    "  --format text|json    text for people; json: one object a line, in the order of the inputs\n"
    "  --tensors             and the tensors, as weighlock scan --tensors lists them\n"
    "  --color auto|always|never\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 accepted, 1 rejected or under review, 2 not fully examined, 4 usage error.\n"
    "\n"
    "Example: weighlock inspect pytorch_model.bin\n";

static const char usage_case[] =
    "usage: weighlock case [--policy NAME|FILE] FILE...\n"
    "\n"
    "Print what somebody needs to see why FILE was judged as it was, and not its weights: the verdict; structure and\n"
    "members; names, types, shapes and digests of the tensors; what loading it would call; bytes around what was "
    "found\n"
    "only where they can be no weights.  One JSON object a line.  Look at it before you send it: names, metadata and\n"
    "texts of the file are in it.\n"
    "\n"
    "  --policy NAME|FILE    judge by this policy; default: default\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 accepted, 1 rejected or under review, 2 not fully examined, 4 usage error.\n"
    "\n"
    "Example: weighlock case model.safetensors > case.json\n";

static const char usage_rules[] =
    "usage: weighlock rules [--format text|json] [--since N] [CODE]\n"
    "\n"
    "List every finding with its class and severity, or explain one: why it matters and what to do.\n"
    "--since N: only those that came after rules version N (scan.rules_version in a verdict).\n"
    "\n"
    "Example: weighlock rules weights-nan\n";

static const char usage_formats[] =
    "usage: weighlock formats [--format text|json]\n"
    "\n"
    "List the formats that are recognised, how far each is looked into, and whether a file of it can be a model.\n";

static const char usage_policy[] =
    "usage: weighlock policy check FILE\n"
    "       weighlock policy show [NAME|FILE]\n"
    "       weighlock policy try [--format text|json] [--pack NAME]... NAME|FILE --against VERDICTS\n"
    "\n"
    "check: exit 0 if FILE is a sound policy, 4 with its line and reason if not; warn of rules that do nothing.\n"
    "show:  print the policy that applies, with every limit; default: the built-in 'default'.\n"
    "try:   which of the recorded VERDICTS (JSON lines, - for standard input; or a database of scan --db)\n"
    "       would be others; nothing is scanned.\n"
    "       Exit 0: none, 1: some, 2: not all could be read or tried, 4: usage.\n"
    "--pack: also allow the names of a built-in pack, as `weighlock scan` does.\n"
    "\n"
    "Example: weighlock policy show strict\n";

static const char usage_exception[] =
    "usage: weighlock exception add --exceptions FILE --code CODE... --reason TEXT --owner TEXT --expires DATE\n"
    "                               [--tenant NAME] SHA256\n"
    "       weighlock exception list --exceptions FILE [--all] [--format text|json] [SHA256]\n"
    "       weighlock exception revoke --exceptions FILE --reason TEXT NUMBER\n"
    "\n"
    "Let one file pass in spite of findings that somebody has looked at.  Its verdict stays what it is; gates go by\n"
    "what it says is effective (weighlock scan --exceptions FILE).  Another code in the same file is not excepted,\n"
    "nor is what was not examined; findings of class malicious need exceptions by two people.\n"
    "\n"
    "  --exceptions FILE     that they are kept in: a line for each act, and none ever goes.  add makes it\n"
    "  --code CODE           of a finding, in full; may be repeated\n"
    "  --reason TEXT         why\n"
    "  --owner TEXT          who answers for it\n"
    "  --expires DATE        the last day on which it counts, YYYY-MM-DD (UTC)\n"
    "  --tenant NAME         only in requests of this tenant\n"
    "  --all                 also those that have expired or were revoked\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 done; 2 FILE cannot be written; 4 usage, or FILE is not as it was left.\n"
    "\n"
    "Example: weighlock exception list --exceptions exceptions.jsonl --all\n";

static const char usage_report[] =
    "usage: weighlock report [OPTION...] FILE\n"
    "\n"
    "Count what `weighlock scan --db FILE` has judged: by verdict, format, finding and folder.  Looks at no\n"
    "file but FILE.\n"
    "\n"
    "  --format text|json|csv|html\n"
    "                        text for people; json: one object; csv: a row for each file and set;\n"
    "                        html: a page with a line for each (see scan --format html)\n"
    "  --since DATE          also what is new or got another verdict since YYYY-MM-DD (UTC), or since\n"
    "                        YYYY-MM-DDThh:mm:ssZ; in csv and html nothing else\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 done; 2 the file cannot be read; 4 usage.\n"
    "\n"
    "Example: weighlock report --since 2026-11-01 models.db\n";

static const char usage_store[] =
    "usage: weighlock store stats [--check] [--format text|json] [--store FILE]\n"
    "       weighlock store get [--name NAME] [--policy NAME|FILE] [--format text|json] [--store FILE] SHA256\n"
    "       weighlock store gc [--max-rows N] [--max-bytes N] [--unused-days N] [--store FILE]\n"
    "       weighlock store clear [--store FILE]\n"
    "\n"
    "The reports that a daemon with 'store: on' has kept.  Works on the file, also while the daemon runs.\n"
    "\n"
    "stats: how many, how long, and when they were used last.\n"
    "get:   the verdict about a file with this digest, if its report is kept.\n"
    "gc:    remove those unused for longest, and give free space back to the file system.\n"
    "clear: remove all.\n"
    "\n"
    "  --store FILE          default: /var/lib/weighlock/verdicts.sqlite\n"
    "  --state-dir DIR       the daemon's folder that it lies in, instead\n"
    "  --check               read all and count the reports that the daemon did not write as they are\n"
    "  --name NAME           what the file is called; a name of another format is another question\n"
    "  --policy NAME|FILE    default: default\n"
    "  --max-rows N          keep at most so many reports (also --store-rows N, as the daemon calls it)\n"
    "  --max-bytes N         keep at most so many bytes of reports (also --store-bytes N)\n"
    "  --unused-days N       remove what was not used in the last N days\n"
    "\n"
    "Exit status: 0 done, of get accept; 1 of get review or reject, of stats --check unsound reports;\n"
    "2 the store cannot be read; 3 of get none is kept; 4 usage.\n"
    "\n"
    "Example: weighlock store get --name model.safetensors $(sha256sum < model.safetensors | cut -c1-64)\n";

static const char usage_metrics[] =
    "usage: weighlock metrics --textfile FILE [--socket[=PATH]]\n"
    "\n"
    "Fetch the daemon's numbers (GET /metrics) and write them to FILE, which appears only when it is whole: for\n"
    "the textfile collector of Prometheus' node exporter, whose files are called *.prom.\n"
    "\n"
    "  --textfile FILE       - for standard output\n"
    "  --socket[=PATH]       of the daemon; default: /run/weighlock/weighlock.sock\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 written; 2 no answer, or FILE cannot be written: then it is as it was before; 4 usage.\n"
    "\n"
    "Example: weighlock metrics --textfile /var/lib/prometheus/node-exporter/weighlock.prom\n";

static const char usage_audit[] =
    "usage: weighlock audit verify [--head HASH|FILE]... [--key KEY] FILE...\n"
    "       weighlock audit head [--signing-key KEY] [FILE]\n"
    "       weighlock audit erase [--tenant NAME] [--name NAME] TEXTS...\n"
    "       weighlock audit pseudonym --key KEY NAME...\n"
    "\n"
    "verify checks the chain of an audit log (weighlockd, 'audit: on'): its FILEs in order, oldest first.  Each line\n"
    "names the SHA-256 of the line before it, also from one file to the next.  Says where it breaks: line, what was\n"
    "found, what was expected.  Where the last FILE is an audit.jsonl, audit.head must be beside it (unless\n"
    "--head is given) and be the head of one of these lines.\n"
    "\n"
    "Files called texts-DATE.jsonl are what the log says of people (audit_texts_days): each text must be as it was\n"
    "written; those that are gone are counted.\n"
    "\n"
    "head prints what FILE (/var/lib/weighlock/audit.head) says, as one line, for a place where the daemon cannot\n"
    "write.\n"
    "\n"
    "erase overwrites the texts of this tenant, of files of this name, or both, in files called texts-DATE.jsonl.  "
    "The\n"
    "daemon need not stop, and the chain stays whole.\n"
    "\n"
    "pseudonym prints what stands in log and audit log for each NAME, by the key file of the daemon (pseudonym_key).\n"
    "\n"
    "  --head HASH           one of these lines must be that: a head that was kept elsewhere; nothing else shows that\n"
    "                        the end was cut, or all made anew, by who can also write audit.head.  Or a FILE of such\n"
    "                        heads, one a line, as head prints them: each must be that of its line.  May be repeated\n"
    "  --key KEY             the public key, PEM: every head in a FILE must be signed by it; of pseudonym, the key "
    "file\n"
    "  --signing-key KEY     sign with this private key, PEM, as the daemon's signing_key\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 whole; 1 broken, without one of the heads, with a text that is another, or the daemon has "
    "recorded\n"
    "an alarm in it; 2 a file cannot be read, or its last line has no end; 4 usage.\n"
    "\n"
    "Example: weighlock audit verify /var/lib/weighlock/audit-*.jsonl /var/lib/weighlock/audit.jsonl\n";

static const char usage_verify[] =
    "usage: weighlock verify --key KEY ENVELOPE [FILE...]\n"
    "\n"
    "Check a verdict that a daemon has signed (attest=1): ENVELOPE (or - for standard input) is signed by KEY, holds\n"
    "a verdict, and every FILE is what it is about, by its SHA-256.  Prints what it says.\n"
    "\n"
    "  --key KEY             the public key, PEM: openssl pkey -in key.pem -pubout -out KEY\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 all of it holds and the verdict (or what is effective, if it says so) is accept; 1 it does not\n"
    "hold, or it is reject or review; 2 it is error, or something cannot be read; 4 usage, or no such key.\n"
    "\n"
    "Example: weighlock verify --key weighlock.pub verdict.dsse.json model.safetensors\n";

static const char usage_doctor[] =
    "usage: weighlock doctor [--socket[=PATH]]\n"
    "\n"
    "Start the sandbox and tell, layer by layer, what this machine allows; judge two built-in samples.\n"
    "\n"
    "  --socket[=PATH]       have the daemon judge the samples, and tell in which jail its workers run; default:\n"
    "                        /run/weighlock/weighlock.sock\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0 all mandatory layers active and both samples judged right, 2 otherwise.\n";

static const char usage_help[] = "usage: weighlock help [COMMAND]\n";

static const struct {
	const char *command;
	const char *text;
} usages[] = {
	{ "scan", usage_scan },
	{ "admit", usage_admit },
	{ "exec", usage_exec },
	{ "convert", usage_convert },
	{ "diff", usage_diff },
	{ "verdict-diff", usage_verdict_diff },
	{ "identify", usage_identify },
	{ "inspect", usage_inspect },
	{ "case", usage_case },
	{ "rules", usage_rules },
	{ "formats", usage_formats },
	{ "policy", usage_policy },
	{ "exception", usage_exception },
	{ "report", usage_report },
	{ "store", usage_store },
	{ "audit", usage_audit },
	{ "verify", usage_verify },
	{ "metrics", usage_metrics },
	{ "doctor", usage_doctor },
	{ "help", usage_help },
};

#define N_USAGES (sizeof(usages) / sizeof(usages[0]))

const char *usage_text(const char *command)
{
	if (command == NULL)
		return usage_main;
	for (size_t i = 0; i < N_USAGES; i++) {
		if (strcmp(command, usages[i].command) == 0)
			return usages[i].text;
	}
	return NULL;
}

int usage_print(const char *command)
{
	fputs(usage_text(command), stdout);
	if (command != NULL && strcmp(command, "policy") == 0)
		printf("\n%s", policy_builtin_help);
	return output_finish(CLI_OK);
}

const char *usage_nearest(const char *typed, char buf[NEAREST_QUESTION_MAX])
{
	struct nearest n;

	nearest_init(&n, typed);
	for (size_t i = 0; i < N_USAGES; i++)
		nearest_try(&n, usages[i].command);
	return nearest_question(&n, "", buf);
}

int usage_version(void)
{
	printf("weighlock %s\n", WLK_VERSION);
	return output_finish(CLI_OK);
}

static int unknown_long(const char *command, const struct option *longs, const char *argument)
{
	char name[64], question[NEAREST_QUESTION_MAX];
	struct nearest n;

	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(argument + strspn(argument, "-"), "="),
	    argument + strspn(argument, "-"));
	nearest_init(&n, name);
	for (; longs->name != NULL; longs++)
		nearest_try(&n, longs->name);
	return usage_error(
	    command, "unknown or ambiguous option '%s'%s", argument, nearest_question(&n, "--", question));
}

/* What getopt_long(3) leaves in optopt: 0 for a long option it does not know; the letter of a short one it does not
 * know; the value of a known one that was given too little or too much. */
int usage_option(const char *command, int answer, const struct option *longs, const char *shorts, const char *argument)
{
	bool printable = optopt > ' ' && optopt < 0x7f;

	if (answer == 'h')
		return usage_print(command);
	if (answer == 'V')
		return usage_version();
	if (answer == ':')
		return usage_error(command, "%s needs a value", argument);
	if (optopt == 0)
		return unknown_long(command, longs, argument);
	if (printable && strchr(shorts, optopt) == NULL)
		return usage_error(command, "unknown option '-%c'", optopt);
	return usage_error(command, "%s: this option takes no value", argument);
}

int usage_plain_option(const char *command, const char *argument)
{
	static const struct option longs[] = { USAGE_LONG_OPTIONS };

	if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
		return usage_print(command);
	if (strcmp(argument, "--version") == 0 || strcmp(argument, "-V") == 0)
		return usage_version();
	return argument[0] == '-' ? unknown_long(command, longs, argument) : -1;
}
