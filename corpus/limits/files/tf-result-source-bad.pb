k
"serve`

xPlaceholder*
dtype0:
8

f
a
r
nNega*
T0"
rnope:z:0"¿