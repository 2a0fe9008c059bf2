x
"serve*2.11.0e

xImportEventin20in7

in7Placeholder*
dtype0
 
in20Placeholder*
dtype0"¿