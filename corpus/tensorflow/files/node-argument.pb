`
"serve*2.11.0M

xPlaceholder*
dtype0'
%

f
a
bIdentitya*
T0"¿