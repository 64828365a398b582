import { explainInstallation } from '../../../scripts/lib/installationErrors.mjs';

const explained = (said: string) =>
	explainInstallation(new Error(said), { what: 'n8n-2.41.3', folder: '/cache' }).message;

/* As npm 10 and pnpm 10 say it. */
it.each([
	'npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write',
	'ERR_PNPM_ENOSPC  [n8n] ENOSPC: no space left on device, copyfile',
])('says in one sentence that the disk is full', (said) => {
	expect(explained(said)).toBe(
		"The disk is full, so n8n-2.41.3 can't be installed in /cache: free 4 GB, then try again.",
	);
});

it.each([
	['npm error code ENOTFOUND\nnpm error syscall getaddrinfo', 'ENOTFOUND'],
	['npm error code ECONNREFUSED\nnpm error FetchError: request failed', 'ECONNREFUSED'],
	[
		'ERR_PNPM_META_FETCH_FAIL  GET http://127.0.0.1:9/n8n: request failed',
		'ERR_PNPM_META_FETCH_FAIL',
	],
	['npm error code E401\nnpm error Incorrect or missing password.', 'E401'],
])('says in one sentence that the registry can’t be reached: %j', (said, reason) => {
	expect(explained(said)).toBe(
		`The npm registry can't be reached (${reason}), so n8n-2.41.3 can't be installed: ` +
			'check the connection and `npm config get registry`, then try again.',
	);
});

it.each([
	'gyp ERR! find Python',
	'gyp ERR! stack Error: not found: make',
	'make: g++: No such file',
])('says in one sentence that there is no compiler: %j', (said) => {
	expect(explained(said)).toBe(
		"n8n’s database driver can be neither downloaded nor compiled, so n8n-2.41.3 can't be " +
			'installed: install python3, make and g++, then try again.',
	);
});

it('passes on any other reason', () => {
	expect(explained('gyp ERR! build error')).toBe(
		"n8n-2.41.3 can't be installed in /cache: gyp ERR! build error",
	);
});
