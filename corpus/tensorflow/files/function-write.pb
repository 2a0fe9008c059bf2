u
"serve*2.11.0b

xPlaceholder*
dtype0<
:

f
xPlaceholder*
dtype0
w	WriteFilexx"¿