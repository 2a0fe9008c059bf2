^
"serve*2.11.0K
#
x	StagePeekin3*
dtypes
0

in3Placeholder*
dtype0"¿