import { installN8n, type N8nInstallation } from '../tooling/installations.mjs';
import { n8nVersionUnderTest } from '../tooling/n8nVersions.mjs';

/** Installs the n8n that the tests run, unless that has been done. */
export async function installN8nUnderTest(): Promise<N8nInstallation> {
	return await installN8n(n8nVersionUnderTest());
}

/** The tarball of the package, which globalSetup.ts has packed. */
export function packageUnderTest(): string {
	const tarball = process.env.PAYROLL_PAYMENTS_TARBALL;
	if (tarball === undefined) throw new Error('PAYROLL_PAYMENTS_TARBALL names no packed package.');
	return tarball;
}
