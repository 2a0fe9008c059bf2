J
"serve*2.11.07

xPlaceholder


f
a
bIdentitya"¿