

xPlaceholder

yIdentityx"¿