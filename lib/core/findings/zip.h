/* Findings of the ZIP reader (lib/grammars/zip), in the order of formats/zip.  Classes matter here: AMBIGUOUS, MALFORMED
 * and INCOMPLETE ones of medium severity or more are those that let two readers see two archives. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_ZIP(X)                                                                                            \
	X(ZIP_EMPTY, "zip-empty", QUALITY, MEDIUM,                                                                     \
	  "an archive without members",                                                                                \
	  "There is nothing in it; a reader that searches differently may find something.",                            \
	  "Publish the archive with its members.", "formats/zip, section 1")                                           \
	X(ZIP_EOCD_MISSING, "zip-eocd-missing", MALFORMED, HIGH,                                                       \
	  "no end record closes the archive",                                                                          \
	  "Without it no reader finds the directory: the file is cut off, or not the archive it seems to be.",         \
	  "Upload the file again, whole.", "formats/zip, section 3, rule 1")                                           \
	X(ZIP_COMMENT_PRESENT, "zip-comment-present", QUALITY, MEDIUM,                                                 \
	  "the archive or a member has a comment",                                                                     \
	  "No loader reads it; other archives and programs hide in it.",                                               \
	  "Write the archive without comments (zip -z, or save again).", "formats/zip, section 3, rule 1")             \
	X(ZIP_COMMENT_FORBIDDEN, "zip-comment-forbidden", AMBIGUOUS, HIGH,                                             \
	  "a comment in an archive of weights",                                                                        \
	  "No writer of such files writes one, and the loaders search for the end record through it.",                 \
	  "Save the file again with the library that wrote it.", "formats/zip, section 9")                             \
	X(ZIP_TRAILING_BYTES, "zip-trailing-bytes", AMBIGUOUS, MEDIUM,                                                 \
	  "bytes follow the end of the archive",                                                                       \
	  "Nobody's archive holds them; some readers then find another archive, or none.",                             \
	  "Cut the file off behind its end record, or save it again.", "formats/zip, section 3, rule 1")               \
	X(ZIP_EOCD_AMBIGUOUS, "zip-eocd-ambiguous", AMBIGUOUS, HIGH,                                                   \
	  "more than one end record",                                                                                  \
	  "Which archive the file is depends on how its reader searches.",                                             \
	  "Publish one archive per file.", "formats/zip, section 3, rule 2")                                           \
	X(ZIP_MULTIDISK, "zip-multidisk", UNSUPPORTED, HIGH,                                                           \
	  "the archive says it is part of a set of disks",                                                             \
	  "Members may be elsewhere; readers ignore the number or refuse the file.",                                   \
	  "Write the archive in one piece.", "formats/zip, section 3, rule 3")                                         \
	X(ZIP_EOCD_COUNT, "zip-eocd-count", AMBIGUOUS, HIGH,                                                           \
	  "the end record gives two numbers of members",                                                               \
	  "Readers believe the one or the other and list different archives.",                                         \
	  "Write the archive again.", "formats/zip, section 3, rule 3")                                                \
	X(ZIP_ZIP64_LOCATOR, "zip-zip64-locator", AMBIGUOUS, HIGH,                                                     \
	  "the zip64 end record is not where, or not as long as, it has to be",                                        \
	  "Readers that follow the locator and readers that step back from it find different records.",                \
	  "Write the archive again.", "formats/zip, section 3, rule 4")                                                \
	X(ZIP_ZIP64_MISMATCH, "zip-zip64-mismatch", AMBIGUOUS, HIGH,                                                   \
	  "the end record contradicts its zip64 record",                                                               \
	  "Readers believe the one or the other and list different archives.",                                         \
	  "Write the archive again.", "formats/zip, section 3, rule 4")                                                \
	X(ZIP_ZIP64_MISSING, "zip-zip64-missing", MALFORMED, HIGH,                                                     \
	  "a zip64 record without its locator, or a reference to one that is not there",                               \
	  "Readers that look for it and readers that do not list different archives.",                                 \
	  "Write the archive again.", "formats/zip, section 3, rule 4")                                                \
	X(ZIP_CD_BOUNDS, "zip-cd-bounds", MALFORMED, HIGH,                                                             \
	  "the directory does not end where the end record begins",                                                    \
	  "Readers disagree on where it is, and so on what the archive holds.",                                        \
	  "Write the archive again.", "formats/zip, section 3, rule 5")                                                \
	X(ZIP_PREFIX_BYTES, "zip-prefix-bytes", AMBIGUOUS, HIGH,                                                       \
	  "bytes stand in front of the archive",                                                                       \
	  "Readers that begin at the start of the file see something else than those that begin at its end.",          \
	  "Publish the archive without what was put in front of it.", "formats/zip, section 3, rule 5")                \
	X(ZIP_CD_COUNT, "zip-cd-count", AMBIGUOUS, HIGH,                                                               \
	  "the directory does not hold exactly the members that the end record counts",                                \
	  "Some readers walk the directory, others count: one sees members that the other does not.",                  \
	  "Write the archive again.", "formats/zip, section 3, rule 6")                                                \
	X(LIMIT_ZIP_DIRECTORY, "limit-zip-directory", INCOMPLETE, HIGH,                                                \
	  "the directory is larger than a scan reads",                                                                 \
	  "No published model comes near the limit; such directories are made to exhaust their reader.",               \
	  "Store fewer, larger members.", "formats/zip, section 7")                                                    \
	X(LIMIT_ZIP_ENTRIES, "limit-zip-entries", INCOMPLETE, HIGH,                                                    \
	  "more members than a scan examines",                                                                         \
	  "No published model comes near the limit; such directories are made to exhaust their reader.",               \
	  "Store fewer, larger members.", "formats/zip, section 7")                                                    \
	X(ZIP_LFH_MISSING, "zip-lfh-missing", MALFORMED, HIGH,                                                         \
	  "no local header where the directory says a member is",                                                      \
	  "The member cannot be read, or only by readers that do not look.",                                           \
	  "Write the archive again.", "formats/zip, section 4, rule 1")                                                \
	X(ZIP_DATA_BOUNDS, "zip-data-bounds", MALFORMED, HIGH,                                                         \
	  "a member reaches past the end of the archive",                                                              \
	  "Its bytes are not there: the archive is damaged or made to read what is not its own.",                      \
	  "Upload the file again, whole.", "formats/zip, section 6")                                                   \
	X(ZIP_NAME_MISMATCH, "zip-name-mismatch", AMBIGUOUS, HIGH,                                                     \
	  "a member has one name in the directory and another at its data",                                            \
	  "PyTorch takes the one, other tools take the other or refuse (CVE-2025-1944).",                              \
	  "Write the archive again.", "formats/zip, section 4, rule 2")                                                \
	X(ZIP_FLAGS_MISMATCH, "zip-flags-mismatch", AMBIGUOUS, HIGH,                                                   \
	  "a member's flags differ between the directory and its data",                                                \
	  "What stops one reader does not stop another (CVE-2025-1945).",                                              \
	  "Write the archive again.", "formats/zip, section 4, rule 3")                                                \
	X(ZIP_FLAGS_RESERVED, "zip-flags-reserved", AMBIGUOUS, MEDIUM,                                                 \
	  "a member's flags hold bits that mean nothing here",                                                         \
	  "Readers that know a meaning for them read something else.",                                                 \
	  "Write the archive again.", "formats/zip, section 4, rule 3")                                                \
	X(ZIP_ENCRYPTED, "zip-encrypted", AMBIGUOUS, HIGH,                                                             \
	  "a member is marked as encrypted",                                                                           \
	  "Scanners stop at the mark and loaders may not (CVE-2025-1945); what is really encrypted nobody can check.", \
	  "Publish the archive without encryption.", "formats/zip, section 4, rule 3")                                 \
	X(ZIP_PATCHED, "zip-patched", AMBIGUOUS, HIGH,                                                                 \
	  "a member is marked as compressed patched data",                                                             \
	  "Scanners stop at the mark and loaders may not (CVE-2025-1945).",                                            \
	  "Write the archive again.", "formats/zip, section 4, rule 3")                                                \
	X(ZIP_METHOD_MISMATCH, "zip-method-mismatch", AMBIGUOUS, HIGH,                                                 \
	  "a member is coded one way in the directory and another at its data",                                        \
	  "Two readers decode two contents.",                                                                          \
	  "Write the archive again.", "formats/zip, section 4, rule 4")                                                \
	X(ZIP_METHOD_FORBIDDEN, "zip-method-forbidden", UNSUPPORTED, HIGH,                                             \
	  "a member is neither stored nor deflated",                                                                   \
	  "The loaders of models read nothing else, so what it holds is for somebody else.",                           \
	  "Store the members, or compress them with deflate.", "formats/zip, section 4, rule 4")                       \
	X(ZIP_SIZE_MISMATCH, "zip-size-mismatch", AMBIGUOUS, HIGH,                                                     \
	  "a member's sizes differ between the directory and its data",                                                \
	  "Two readers read two contents.",                                                                            \
	  "Write the archive again.", "formats/zip, section 4, rule 5")                                                \
	X(ZIP_CRC_FIELD_MISMATCH, "zip-crc-field-mismatch", AMBIGUOUS, HIGH,                                           \
	  "a member's checksum differs between the directory and its data",                                            \
	  "One reader refuses what another loads.",                                                                    \
	  "Write the archive again.", "formats/zip, section 4, rule 5")                                                \
	X(ZIP_DD_MISMATCH, "zip-dd-mismatch", AMBIGUOUS, HIGH,                                                         \
	  "a member's data descriptor is missing or contradicts the directory",                                        \
	  "Readers that go from member to member read something else than those that use the directory.",              \
	  "Write the archive again.", "formats/zip, section 4, rule 6")                                                \
	X(ZIP_STORED_SIZE, "zip-stored-size", AMBIGUOUS, HIGH,                                                         \
	  "a stored member has two sizes",                                                                             \
	  "Readers take the one or the other: bytes behind the smaller one are hidden.",                               \
	  "Write the archive again.", "formats/zip, section 4, rule 7")                                                \
	X(ZIP_CRC, "zip-crc", MALFORMED, HIGH,                                                                         \
	  "a member's content does not have the checksum that the directory gives",                                    \
	  "It is damaged, or made to stop scanners: PyTorch loads it all the same (CVE-2025-10156).",                  \
	  "Save the file again.", "formats/zip, section 4, rule 8")                                                    \
	X(ZIP_CRC_ABSENT, "zip-crc-absent", QUALITY, INFO,                                                             \
	  "the archive was written without checksums",                                                                 \
	  "PyTorch can be told to leave them out; damage then goes unseen.",                                           \
	  "Save the file with checksums.", "formats/zip, section 4, note C")                                           \
	X(ZIP_INFLATE_ERROR, "zip-inflate-error", MALFORMED, HIGH,                                                     \
	  "a member's compressed data is damaged, or does not fill its place",                                         \
	  "Readers get different contents out of it, and bytes behind its end are hidden.",                            \
	  "Save the file again.", "formats/zip, section 4, rule 9")                                                    \
	X(ZIP_INFLATE_SIZE, "zip-inflate-size", AMBIGUOUS, HIGH,                                                       \
	  "a member decompresses to another size than the directory gives",                                            \
	  "Readers cut it off at different places.",                                                                   \
	  "Save the file again.", "formats/zip, section 4, rule 9")                                                    \
	X(ZIP_EXTRA_MALFORMED, "zip-extra-malformed", MALFORMED, HIGH,                                                 \
	  "a header's extra fields do not fit into their place",                                                       \
	  "Readers skip them or refuse the archive.",                                                                  \
	  "Write the archive again.", "formats/zip, section 4, rule 10")                                               \
	X(ZIP_EXTRA_UNICODE_PATH, "zip-extra-unicode-path", AMBIGUOUS, HIGH,                                           \
	  "a header carries a second name for its member",                                                             \
	  "Readers that know the field unpack the member under the other name.",                                       \
	  "Write the archive again with UTF-8 names (flag bit 11).", "formats/zip, section 4, rule 10")                \
	X(ZIP_EXTRA_UNKNOWN, "zip-extra-unknown", QUALITY, MEDIUM,                                                     \
	  "a header carries an extra field that nobody knows",                                                         \
	  "Up to 64 KiB of a header may be anything; the loaders of models ignore it.",                                \
	  "Write the archive again.", "formats/zip, section 4, rule 10")                                               \
	X(ZIP_EXTRA_CONTENT, "zip-extra-content", AMBIGUOUS, HIGH,                                                     \
	  "an extra field does not hold what its writers write",                                                       \
	  "No reader asks for such a length or content, or no writer puts it there: other data hides in it.",           \
	  "Write the archive again with the library that wrote it.", "formats/zip, section 4, rule 10")                \
	X(ZIP_ATTRIBUTES, "zip-attributes", AMBIGUOUS, HIGH,                                                           \
	  "a member's attributes contradict what it is",                                                               \
	  "Some readers take it for a folder and read nothing: PyTorch then loads what its memory held before.",       \
	  "Write the archive again with the library that wrote it.", "formats/zip, section 4, rule 14")                \
	X(ZIP_ATTRIBUTES_UNKNOWN, "zip-attributes-unknown", QUALITY, MEDIUM,                                           \
	  "a member has attributes that no writer sets",                                                               \
	  "What readers make of them nobody can say.",                                                                 \
	  "Write the archive again.", "formats/zip, section 4, rule 14")                                               \
	X(ZIP_ZIP64_EXTRA, "zip-zip64-extra", AMBIGUOUS, HIGH,                                                         \
	  "a zip64 extra field does not hold exactly the sizes and offset that need it",                               \
	  "Readers take different numbers out of it.",                                                                 \
	  "Write the archive again.", "formats/zip, section 4, rule 11")                                               \
	X(ZIP_SYMLINK, "zip-symlink", UNSUPPORTED, HIGH,                                                               \
	  "a member is a symbolic link",                                                                               \
	  "Unpacking it lets later members be written through it, outside the folder.",                                \
	  "Store the file instead of a link to it.", "formats/zip, section 4, rule 14")                                \
	X(ZIP_SPECIAL_FILE, "zip-special-file", UNSUPPORTED, HIGH,                                                     \
	  "a member is a device, a pipe or a socket",                                                                  \
	  "No model contains one; unpacking it makes one.",                                                            \
	  "Store regular files only.", "formats/zip, section 4, rule 14")                                              \
	X(ZIP_VERSION, "zip-version", UNSUPPORTED, HIGH,                                                               \
	  "a member needs a newer kind of reader",                                                                     \
	  "The number stands for methods and encryption that the loaders of models do not read.",                      \
	  "Store the members, or compress them with deflate.", "formats/zip, section 4, rule 16")                      \
	X(ZIP_DIRECTORY_ENTRY, "zip-directory-entry", AMBIGUOUS, HIGH,                                                 \
	  "a folder's entry has content",                                                                              \
	  "Tools that unpack skip the content, programs that read by name get it.",                                    \
	  "Write the archive again.", "formats/zip, section 4, rule 17")                                               \
	X(ZIP_DIRECTORY_PRESENT, "zip-directory-present", QUALITY, MEDIUM,                                             \
	  "an archive of weights has an entry for a folder",                                                           \
	  "No writer of such files writes one: somebody else packed it again.",                                        \
	  "Pack without entries for folders (zip -D), or save the file again.", "formats/zip, section 4, rule 17")     \
	X(ZIP_NAME_LENGTH, "zip-name-length", AMBIGUOUS, HIGH,                                                         \
	  "a member's name is empty or longer than any reader expects",                                                \
	  "Readers cut long names at different places.",                                                               \
	  "Shorten the name.", "formats/zip, section 5")                                                               \
	X(ZIP_NAME_CONTROL, "zip-name-control", AMBIGUOUS, HIGH,                                                       \
	  "a member's name holds control characters",                                                                  \
	  "NUL cuts names in Python and C; escape sequences act on the terminal that prints them.",                    \
	  "Use printable characters in names.", "formats/zip, section 5")                                              \
	X(ZIP_NAME_ENCODING, "zip-name-encoding", AMBIGUOUS, HIGH,                                                     \
	  "a member's name is not in the encoding that its flags say",                                                 \
	  "Readers decode it to different names.",                                                                     \
	  "Write names in UTF-8 and set flag bit 11.", "formats/zip, section 5")                                       \
	X(ZIP_NAME_TRAVERSAL, "zip-name-traversal", AMBIGUOUS, HIGH,                                                   \
	  "a member's name climbs out of its folder",                                                                  \
	  "Tools that unpack it may write outside the folder they were given.",                                        \
	  "Remove . and .. from the name.", "formats/zip, section 5; CWE-22")                                          \
	X(ZIP_NAME_ABSOLUTE, "zip-name-absolute", AMBIGUOUS, HIGH,                                                     \
	  "a member's name begins at the root of a disk",                                                              \
	  "Tools that unpack it may write outside the folder they were given.",                                        \
	  "Use relative names.", "formats/zip, section 5; CWE-22")                                                     \
	X(ZIP_NAME_BACKSLASH, "zip-name-backslash", AMBIGUOUS, HIGH,                                                   \
	  "a member's name holds a backslash",                                                                         \
	  "It separates folders for some readers and is a letter for others.",                                         \
	  "Separate folders by / only.", "formats/zip, section 5; CWE-22")                                             \
	X(ZIP_NAME_UNPORTABLE, "zip-name-unportable", QUALITY, MEDIUM,                                                 \
	  "a member's name means something else on other systems",                                                     \
	  "Windows drops dots and spaces at the end of names and opens devices called CON or NUL.",                    \
	  "Use names without empty parts, final dots or spaces, and device names.", "formats/zip, section 5")          \
	X(ZIP_NAME_DUPLICATE, "zip-name-duplicate", AMBIGUOUS, HIGH,                                                   \
	  "two members have the same name",                                                                            \
	  "Which of them is loaded depends on the reader.",                                                            \
	  "Write the archive again, each member once.", "formats/zip, section 5")                                      \
	X(ZIP_NAME_CASE_COLLISION, "zip-name-case-collision", AMBIGUOUS, HIGH,                                         \
	  "two members' names differ in upper and lower case only",                                                    \
	  "PyTorch looks names up without regard to case and may load the other one.",                                 \
	  "Rename one of them.", "formats/zip, section 5")                                                             \
	X(ZIP_NAME_UNICODE_COLLISION, "zip-name-unicode-collision", AMBIGUOUS, MEDIUM,                                 \
	  "two members' names are the same to a person and differ to a program",                                       \
	  "File systems that normalise names unpack the one over the other.",                                          \
	  "Rename one of them.", "formats/zip, section 5; UTS 39")                                                     \
	X(ZIP_NAME_FILE_AS_DIRECTORY, "zip-name-file-as-directory", AMBIGUOUS, HIGH,                                   \
	  "a member is a file and also the folder of another one",                                                     \
	  "Unpacked, only one of them can exist.",                                                                     \
	  "Rename one of them.", "formats/zip, section 5")                                                             \
	X(ZIP_OVERLAP, "zip-overlap", AMBIGUOUS, HIGH,                                                                 \
	  "members share bytes of the archive",                                                                        \
	  "That is how a small file unpacks to petabytes, and how one content hides in another (CVE-2024-0450).",      \
	  "Write the archive again.", "formats/zip, section 6")                                                        \
	X(ZIP_GAP, "zip-gap", AMBIGUOUS, HIGH,                                                                         \
	  "bytes between the archive's records belong to none of them",                                                \
	  "Data hides there from everything that reads by the directory.",                                             \
	  "Write the archive again.", "formats/zip, section 6")                                                        \
	X(ZIP_RATIO, "zip-ratio", QUALITY, MEDIUM,                                                                     \
	  "the content is far larger than its compressed form",                                                        \
	  "Weights hardly compress; such members are made to exhaust their reader.",                                   \
	  "Store the members without compression.", "formats/zip, section 7")                                          \
	X(ZIP_RATIO_ARRAY, "zip-ratio-array", QUALITY, INFO,                                                           \
	  "an array compresses unusually well",                                                                        \
	  "Arrays of zeros do.",                                                                                       \
	  "Nothing to do.", "formats/zip, Decisions 2")                                                                \
	X(ZIP_OUTPUT, "zip-output", INCOMPLETE, HIGH,                                                                  \
	  "the members decompress to more than a scan examines",                                                       \
	  "What was not read cannot be vouched for.",                                                                  \
	  "Split the model into several files, or raise the limit in the policy.", "formats/zip, section 7")           \
	X(ZIP_SIZE_SUM, "zip-size-sum", AMBIGUOUS, HIGH,                                                               \
	  "the members are larger together than the file they are in",                                                 \
	  "They share bytes: that is how a small file unpacks to petabytes.",                                          \
	  "Write the archive again.", "formats/zip, section 7")                                                        \
	X(ZIP_NESTED, "zip-nested", UNSUPPORTED, MEDIUM,                                                               \
	  "archives in archives, deeper than a scan goes",                                                             \
	  "What was not read cannot be vouched for.",                                                                  \
	  "Unpack the inner archives and publish their files.", "formats/zip, section 7")
/* clang-format on */
