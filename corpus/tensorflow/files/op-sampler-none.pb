f
"serve*2.11.0S

xPlaceholder
:
sFixedUnigramCandidateSamplerx*
_class

loc:@w"¿