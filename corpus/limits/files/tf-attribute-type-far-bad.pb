1
"serve&

xPlaceholder*
dtype0€€@"¿