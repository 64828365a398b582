import { installN8n, type N8nInstallation } from '../tooling/installations.mjs';
import {
	DEFAULT_N8N_VERSION,
	isN8nVersion,
	N8N_VERSIONS,
	type N8nVersion,
} from '../tooling/n8nVersions.mjs';

/** Installs the n8n that the tests run, unless that has been done. */
export async function installN8nUnderTest(): Promise<N8nInstallation> {
	return await installN8n(n8nVersionUnderTest());
}

/** The n8n that the tests run: PAYROLL_PAYMENTS_N8N, e.g. 2.35.7, or the default. */
export function n8nVersionUnderTest(): N8nVersion {
	const wanted = process.env.PAYROLL_PAYMENTS_N8N ?? DEFAULT_N8N_VERSION;
	if (isN8nVersion(wanted)) return wanted;
	const known = Object.keys(N8N_VERSIONS).join(', ');
	throw new Error(`PAYROLL_PAYMENTS_N8N is ${wanted}; choose one of ${known}.`);
}

/** The tarball of the package, which globalSetup.ts has packed. */
export function packageUnderTest(): string {
	const tarball = process.env.PAYROLL_PAYMENTS_TARBALL;
	if (tarball === undefined) throw new Error('PAYROLL_PAYMENTS_TARBALL names no packed package.');
	return tarball;
}
