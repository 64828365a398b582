import { explainInstallation } from '../../../tooling/installationErrors.mjs';

const explained = (said: string) =>
	explainInstallation(new Error(said), { what: 'n8n-2.41.3', folder: '/cache' }).message;

const FULL =
	"The disk is full, so n8n-2.41.3 can't be installed in /cache: free 4 GB, then try again.";
const unreachable = (reason: string) =>
	`The npm registry can't be reached (${reason}), so n8n-2.41.3 can't be installed: ` +
	'check the connection and `npm config get registry`, then try again.';
const NO_COMPILER =
	"n8n’s database driver can be neither downloaded nor compiled, so n8n-2.41.3 can't be " +
	'installed: install python3, make and g++, then try again.';

/* As npm 10 and pnpm 10 say it. */
it.each([
	['npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write', FULL],
	['ERR_PNPM_ENOSPC  [n8n] ENOSPC: no space left on device, copyfile', FULL],
	['npm error code ENOTFOUND\nnpm error syscall getaddrinfo', unreachable('ENOTFOUND')],
	['npm error code ECONNREFUSED\nnpm error FetchError: failed', unreachable('ECONNREFUSED')],
	['ERR_PNPM_META_FETCH_FAIL  GET http://a/n8n: failed', unreachable('ERR_PNPM_META_FETCH_FAIL')],
	['npm error code E401\nnpm error Incorrect or missing password.', unreachable('E401')],
	['gyp ERR! find Python', NO_COMPILER],
	['gyp ERR! stack Error: not found: make', NO_COMPILER],
	['make: g++: No such file', NO_COMPILER],
	['gyp ERR! build error', "n8n-2.41.3 can't be installed in /cache: gyp ERR! build error"],
])('says in one sentence what %j means', (said, sentence) => {
	expect(explained(said)).toBe(sentence);
});
