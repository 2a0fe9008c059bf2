O
"serve*2.11.0<

x
DecodeJpegin7

in7Placeholder*
dtype0"¿