

x	WriteFilein7in7

in7Placeholder*
dtype0"¿