m
"serve*2.11.0Z

xPlaceholder
A
sFixedUnigramCandidateSamplerx*/etc/passwd

vocab_file"¿