M
"serve*2.11.0:

xReadFilein7

in7Placeholder*
dtype0"¿