_
"serve*2.11.0L

xPlaceholder*
dtype0&
$

f
xPlaceholder*
dtype0"¿