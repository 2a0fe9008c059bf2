@
"serve*2.11.0-

xPlaceholder

w	WriteFilexx"¿