/* Findings of the tokenizer of XML (lib/grammars/xml) and of the readers over it: OpenVINO IR, PMML, SVG.  Follows formats/xml
 * and formats/others, section 1 and Decisions 3. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_XML(X) \
	X(XML_SYNTAX, "xml-syntax", MALFORMED, HIGH, \
	  "XML that is not well formed", \
	  "Lenient readers mend it, each in its own way.", \
	  "Write the file with a library for XML.", "formats/xml, section 1") \
	X(XML_ENCODING, "xml-encoding", AMBIGUOUS, HIGH, \
	  "XML that is not UTF-8", \
	  "What a reader takes for markup depends on the encoding it assumes.", \
	  "Write the file as UTF-8.", "formats/xml, section 1") \
	X(XML_ENCODING_DECLARED, "xml-encoding-declared", UNSUPPORTED, MEDIUM, \
	  "XML that declares another encoding than UTF-8", \
	  "Its text is not examined in that encoding.", \
	  "Write the file as UTF-8.", "formats/xml, section 1") \
	X(XML_DUPLICATE_ATTRIBUTE, "xml-duplicate-attribute", AMBIGUOUS, HIGH, \
	  "an element of XML with the same attribute twice", \
	  "One reader takes the first, another the last.", \
	  "Write the file with a library for XML.", "formats/xml, section 1") \
	X(XML_TRAILING_BYTES, "xml-trailing-bytes", AMBIGUOUS, HIGH, \
	  "something behind the root element of XML", \
	  "Lenient readers do not look there; another file can hide.", \
	  "Write the file with a library for XML.", "formats/xml, section 1") \
	X(XML_DOCTYPE, "xml-doctype", AMBIGUOUS, HIGH, \
	  "XML with a document type", \
	  "It can fetch files and addresses, and redefine what the text says (XXE).", \
	  "Write the file without <!DOCTYPE.", "formats/others, section 1 and Decisions 3") \
	X(XML_ENTITY, "xml-entity", AMBIGUOUS, HIGH, \
	  "XML with an entity of its own", \
	  "Entities expand to other files, or to gigabytes (billion laughs).", \
	  "Write the text itself; lt, gt, amp, quot and apos are all the entities a model needs.", \
	  "formats/others, section 1 and Decisions 3") \
	X(XML_DEPTH, "xml-depth", MALFORMED, HIGH, \
	  "elements of XML nested too deeply", \
	  "Readers that recurse run out of stack.", \
	  "Write the file flatter: 64 elements in each other are read.", "formats/others, section 1 and Decisions 3") \
	X(XML_SIZE, "xml-size", MALFORMED, HIGH, \
	  "XML with a name, a tag or a list of attributes larger than is read, or more of it than 256 MiB", \
	  "What was not read cannot be vouched for.", \
	  "Keep large values out of attributes.", "formats/xml, section 1") \
	X(XML_INSTRUCTION, "xml-instruction", CODE, MEDIUM, \
	  "XML with an instruction for the program that reads it", \
	  "Browsers fetch and run style sheets that such an instruction names.", \
	  "Write the file without <? but for the declaration.", "formats/xml, section 1") \
	X(XML_BOUNDS, "xml-bounds", MALFORMED, HIGH, \
	  "a range of weights that ends behind the end of their file", \
	  "Runtimes read beyond the weights, or refuse the model.", \
	  "Upload the .xml and the .bin that belong together.", "formats/others, section 1 and Decisions 3") \
	X(OPENVINO_VERSION, "openvino-version", UNSUPPORTED, MEDIUM, \
	  "an OpenVINO model of another version than 10 and 11", \
	  "What it holds is not examined.", \
	  "Convert the model with a current release of OpenVINO.", "formats/openvino, section 1") \
	X(OPENVINO_UNKNOWN, "openvino-unknown", UNSUPPORTED, MEDIUM, \
	  "an element, attribute or type that OpenVINO's models do not have", \
	  "What it means is not examined.", \
	  "Write the model with OpenVINO, or ask for a newer release of this program.", "formats/openvino, section 2") \
	X(OPENVINO_STRUCTURE, "openvino-structure", MALFORMED, HIGH, \
	  "an OpenVINO model that contradicts itself", \
	  "Something required is missing, given twice or no number, or an edge leads to no layer.", \
	  "Write the model with OpenVINO.", "formats/openvino, section 2") \
	X(OPENVINO_EXTENSION_OP, "openvino-extension-op", CODE, MEDIUM, \
	  "an operation that is in none of OpenVINO's operation sets", \
	  "It runs in a library that has to be loaded with the model.", \
	  "Use the operations of OpenVINO, or allow it by policy.", "formats/others, section 1 (OpenVINO IR)") \
	X(OPENVINO_LIBRARY_PATH, "openvino-library-path", MALICIOUS, HIGH, \
	  "an OpenVINO model that names a library", \
	  "Whoever loads what it names runs code that came with the model.", \
	  "Remove the path of the library.", "formats/others, section 1 (OpenVINO IR)") \
	X(OPENVINO_TENSOR_SIZE, "openvino-tensor-size", MALFORMED, HIGH, \
	  "a constant whose shape, type and size do not agree", \
	  "Kernels go by the shape and run out of the data.", \
	  "Write the model with OpenVINO.", "formats/openvino, section 3") \
	X(OPENVINO_OVERLAP, "openvino-overlap", AMBIGUOUS, HIGH, \
	  "two constants that share a part of their weights", \
	  "Bytes are one tensor's and another's: no writer does this.", \
	  "Write the model with OpenVINO.", "formats/others, section 1 (OpenVINO IR)") \
	X(OPENVINO_WEIGHTS_UNCHECKED, "openvino-weights-unchecked", QUALITY, INFO, \
	  "weights in a .bin file, which this verdict says nothing about", \
	  "The model is not whole without it.", \
	  "Scan the folder with all its files.", "formats/openvino, section 3") \
	X(OPENVINO_WEIGHTS_MISSING, "openvino-weights-missing", MALFORMED, HIGH, \
	  "the .bin file of an OpenVINO model is not there", \
	  "Loading the model fails, or finds another file of that name.", \
	  "Upload the .xml and the .bin together.", "formats/openvino, section 4") \
	X(OPENVINO_WEIGHTS_HOLE, "openvino-weights-hole", AMBIGUOUS, HIGH, \
	  "bytes of an OpenVINO model's .bin file that belong to no constant", \
	  "Another file can hide there.", \
	  "Write the model with OpenVINO.", "formats/openvino, section 4") \
	X(PMML_VERSION, "pmml-version", UNSUPPORTED, MEDIUM, \
	  "PMML of an unknown version or namespace", \
	  "What it holds is not examined.", \
	  "Write the model as PMML 3.0 to 4.4.", "formats/pmml, section 1") \
	X(PMML_UNKNOWN, "pmml-unknown", UNSUPPORTED, MEDIUM, \
	  "an element or namespace that PMML does not have", \
	  "Vendors put scripts of their own there; what it means is not examined.", \
	  "Write the model with the elements of PMML.", "formats/pmml, section 2") \
	X(PMML_FUNCTION, "pmml-function", CODE, MEDIUM, \
	  "PMML that applies a function which is neither built in nor defined in it", \
	  "Evaluators load a class of that name.", \
	  "Use the functions of PMML, or define them in the model.", "formats/pmml, section 3") \
	X(PMML_EXTENSION_CODE, "pmml-extension-code", CODE, MEDIUM, \
	  "an extension of PMML that holds something like code", \
	  "A vendor's program may run it.", \
	  "Remove the extension.", "formats/others, section 1 (PMML) and Decisions 3") \
	X(SVG_SCRIPT, "svg-script", CODE, MEDIUM, \
	  "a picture (SVG) with something that browsers run", \
	  "Whoever opens the picture by its address runs scripts in the name of the site that serves it.", \
	  "Save the picture without scripts, event handlers and foreign content.", "formats/xml, section 2") \
	X(SVG_EXTERNAL, "svg-external", CODE, MEDIUM, \
	  "a picture (SVG) that refers to something outside of it", \
	  "Browsers fetch what it names, or go there.", \
	  "Embed what belongs to the picture.", "formats/xml, section 2")
/* clang-format on */
