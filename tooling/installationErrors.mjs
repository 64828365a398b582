/** What node-gyp says without a compiler. */
const NO_COMPILER = /gyp ERR! (?:find Python|stack Error: not found: make)|make: \S+: No such file/;

const FULL_DISK = /ENOSPC|no space left on device/i;

/** What npm and pnpm say when a registry can't be reached or doesn't have its packages. */
const NO_REGISTRY =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ERR_PNPM_META_FETCH_FAIL|ERR_PNPM_FETCH_\d+|\bE(401|403|404|429|5\d\d)\b|CERT_|SELF_SIGNED/;

/**
 * The reason why an installation failed, in one sentence if it is a common one.
 *
 * @param {unknown} error
 * @param {{ what: string; folder: string }} installation what was installed, and where to
 */
export function explainInstallation(error, { what, folder }) {
	const text = error instanceof Error ? error.message : String(error);
	if (FULL_DISK.test(text)) {
		return new Error(
			`The disk is full, so ${what} can't be installed in ${folder}: free 4 GB, then try again.`,
		);
	}
	if (NO_COMPILER.test(text)) {
		return new Error(
			`n8n’s database driver can be neither downloaded nor compiled, so ${what} can't be ` +
				'installed: install python3, make and g++, then try again.',
		);
	}
	const [reason] = NO_REGISTRY.exec(text) ?? [];
	if (reason !== undefined) {
		return new Error(
			`The npm registry can't be reached (${reason}), so ${what} can't be installed: ` +
				'check the connection and `npm config get registry`, then try again.',
		);
	}
	return new Error(`${what} can't be installed in ${folder}: ${text}`);
}
