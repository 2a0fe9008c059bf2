S
"serve*2.11.0@

x	WriteFilein7in7

in7Placeholder*
dtype0"¿