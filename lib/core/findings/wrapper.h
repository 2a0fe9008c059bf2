/* Findings of compressed files, tar archives, containers that are only named, joblib's arrays and side files
 * (formats/others, sections 1 and 2). */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_WRAPPER(X)                                                                                        \
	X(WRAPPER_BOMB, "wrapper-bomb", INCOMPLETE, HIGH,                                                              \
	  "compressed data that unpacks to far more than it is",                                                       \
	  "No weights compress like this; it exhausts whoever unpacks it.",                                            \
	  "Publish the file without compression.", "formats/others, section 2")                                        \
	X(WRAPPER_DEPTH, "wrapper-depth", INCOMPLETE, HIGH,                                                            \
	  "compressed too many times over",                                                                            \
	  "Nobody compresses a file like this but to hide what it is.",                                                \
	  "Compress the file once.", "formats/others, section 2")                                                      \
	X(WRAPPER_CRC, "wrapper-crc", MALFORMED, HIGH,                                                                 \
	  "compressed data that is damaged",                                                                           \
	  "It does not unpack, or not to what its checksum and length say; some readers do not look.",                 \
	  "Compress the file again and upload it whole.", "formats/others, section 2")                                 \
	X(WRAPPER_TRUNCATED, "wrapper-truncated", MALFORMED, HIGH,                                                     \
	  "compressed data that ends too early",                                                                       \
	  "What is missing was not seen; some readers load the part that is there.",                                   \
	  "Upload the file again, whole.", "formats/others, section 2")                                                \
	X(WRAPPER_TRAILING_BYTES, "wrapper-trailing-bytes", AMBIGUOUS, HIGH,                                           \
	  "bytes follow the compressed data",                                                                          \
	  "Readers stop before them, complain, or take them for more data: they see different files.",                 \
	  "Cut the file off behind the compressed data.", "formats/others, Decisions 5")                               \
	X(GZ_MULTI_MEMBER, "gz-multi-member", AMBIGUOUS, MEDIUM,                                                       \
	  "several compressed streams in a row",                                                                       \
	  "Some readers read on through all of them, others stop behind the first.",                                   \
	  "Compress the file in one piece.", "formats/others, section 2")                                              \
	X(TAR_CHECKSUM, "tar-checksum", MALFORMED, HIGH,                                                               \
	  "a tar header whose checksum is wrong",                                                                      \
	  "Readers skip it, stop or guess: they unpack different files.",                                              \
	  "Pack the archive again.", "formats/others, Decisions 4")                                                    \
	X(TAR_TRUNCATED, "tar-truncated", MALFORMED, HIGH,                                                             \
	  "the archive ends inside a member or without its end mark",                                                  \
	  "What is missing was not seen.",                                                                             \
	  "Upload the file again, whole.", "formats/others, Decisions 4")                                              \
	X(TAR_NAME_TRAVERSAL, "tar-name-traversal", MALICIOUS, HIGH,                                                   \
	  "a member's name leads out of the folder it is unpacked in",                                                 \
	  "Unpacking it overwrites files elsewhere.",                                                                  \
	  "Pack the archive again with relative names.", "formats/others, Decisions 4")                                \
	X(TAR_LINK, "tar-link", MALICIOUS, HIGH,                                                                       \
	  "a member that is a link",                                                                                   \
	  "What is unpacked through a link ends up where the link points.",                                            \
	  "Pack the files themselves.", "formats/others, Decisions 4")                                                 \
	X(TAR_SPECIAL_FILE, "tar-special-file", MALFORMED, HIGH,                                                       \
	  "a member that is neither file nor folder",                                                                  \
	  "Devices, pipes and unknown types have no place among models.",                                              \
	  "Pack ordinary files only.", "formats/others, Decisions 4")                                                  \
	X(TAR_DUPLICATE, "tar-duplicate", AMBIGUOUS, HIGH,                                                             \
	  "two members have the same name, or one that is a folder to the other",                                      \
	  "Which of them is read depends on the reader.",                                                              \
	  "Pack each file once.", "formats/others, Decisions 4")                                                       \
	X(TAR_PAX, "tar-pax", AMBIGUOUS, HIGH,                                                                         \
	  "an extended header that is not read alike everywhere",                                                      \
	  "It can give a member another name or size to some readers only.",                                           \
	  "Pack the archive again in the ustar format.", "formats/others, Decisions 4")                                \
	X(TAR_TRAILING_BYTES, "tar-trailing-bytes", AMBIGUOUS, HIGH,                                                   \
	  "bytes follow the archive's end mark",                                                                       \
	  "Some readers go on behind it and find another archive.",                                                    \
	  "Pack the archive again.", "formats/others, Decisions 4")                                                    \
	X(TAR_SIZE, "tar-size", MALFORMED, HIGH,                                                                       \
	  "a number in a header is none, or a size larger than the archive",                                           \
	  "Readers disagree on where the next member begins.",                                                         \
	  "Pack the archive again.", "formats/others, Decisions 4")                                                    \
	X(ARCHIVE_7Z, "archive-7z", UNSUPPORTED, MEDIUM,                                                               \
	  "a 7z archive, which this build does not open",                                                              \
	  "Broken pickles were spread in such archives, for scanners do not look inside.",                             \
	  "Publish the files themselves.", "formats/others, section 2")                                                \
	X(ARCHIVE_RAR, "archive-rar", UNSUPPORTED, MEDIUM,                                                             \
	  "a RAR archive, which this build does not open",                                                             \
	  "What is in it was not seen.",                                                                               \
	  "Publish the files themselves.", "formats/others, section 2")                                                \
	X(FORMAT_PARTLY_CHECKED, "format-partly-checked", UNSUPPORTED, MEDIUM,                                         \
	  "a part of it was not seen or not understood",                                                               \
	  "What was not examined cannot be vouched for.",                                                              \
	  "Publish the model in one file of a format that can be checked.", "formats/others, Decisions 8")             \
	X(FORMAT_SIDE_FILE, "format-side-file", QUALITY, INFO,                                                         \
	  "ordinary text, not a model",                                                                                \
	  "Nothing loads it as one.",                                                                                  \
	  "Nothing to do.", "formats/others, Decisions 2")                                                             \
	X(JSON_SYNTAX, "json-syntax", MALFORMED, MEDIUM,                                                               \
	  "text that begins as JSON and is none",                                                                      \
	  "Lenient readers mend it, each in its own way.",                                                             \
	  "Save the file again with a JSON library.", "formats/others, Decisions 3")                                   \
	X(JSON_DUPLICATE_KEY, "json-duplicate-key", AMBIGUOUS, MEDIUM,                                                 \
	  "a key is given twice",                                                                                      \
	  "Some readers take the first, some the last.",                                                               \
	  "Keep one of the two.", "formats/others, Decisions 3")                                                       \
	X(JSON_DEPTH, "json-depth", MALFORMED, MEDIUM,                                                                 \
	  "JSON nested more deeply than readers follow",                                                               \
	  "It exhausts readers that recurse.",                                                                         \
	  "Flatten the data.", "formats/others, Decisions 3")                                                          \
	X(FORMAT_SCRIPT, "format-script", CODE, MEDIUM,                                                                \
	  "a script",                                                                                                  \
	  "It runs when somebody executes it.",                                                                        \
	  "Publish programs apart from models.", "formats/others, Decisions 3")                                        \
	X(REPO_CODE, "repo-code", CODE, MEDIUM,                                                                        \
	  "source code",                                                                                               \
	  "Loaders that trust their source run it (trust_remote_code).",                                               \
	  "Publish programs apart from models.", "formats/others, Decisions 2")
/* clang-format on */
