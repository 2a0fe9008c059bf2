V
"serve*2.11.0C

xPlaceholder*
dtype0

xPlaceholder*
dtype0"¿