B
"serve*2.11.0/

xPlaceholder

zIdentitynowhere"¿