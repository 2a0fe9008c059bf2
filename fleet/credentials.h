/* What signs requests to S3: read anew for each, so that who renews the file need tell nobody. */
#pragma once

#define CREDENTIAL_MAX 4095 /* bytes: tokens of temporary ones are long */

struct credentials {
	char key[256], secret[256];
	char token[CREDENTIAL_MAX + 1]; /* "": none */
};

/**
 * credentials_read() - from a file, or from the environment
 * @path: lines "aws_access_key_id = ...", "aws_secret_access_key = ...", "aws_session_token = ...", as of the profile that comes
 * first in AWS's shared credentials file; NULL: AWS_ACCESS_KEY_ID and so on
 * Return: 0; -ENOKEY: key or secret is missing; -EMSGSIZE: one is too long; or that of fopen(3).
 */
int credentials_read(const char *path, struct credentials *ret);
