u
"serve*2.11.0b

xPlaceholderI
G

f
a;
nFixedUnigramCandidateSamplera*

vocab_fileJwhich"¿