f
"serve*2.11.0S

xPlaceholder*
dtype0-
+


ReadFile
xPlaceholder*
dtype0"¿