(
"serve*2.11.0

x	WriteFile"¿