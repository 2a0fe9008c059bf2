…
"serve*2.11.0r

xPlaceholder*
dtype0L
$

g
xPlaceholder*
dtype0
$

g
xPlaceholder*
dtype0"¿