>
"serve*2.11.0+

zIdentityx:0

xPlaceholder"¿