import { installN8n, type N8nInstallation } from '../../scripts/lib/installations.mjs';
import {
	DEFAULT_N8N_VERSION,
	isN8nVersion,
	N8N_VERSIONS,
	type N8nVersion,
} from '../../scripts/lib/n8nVersions.mjs';

/** The n8n that the tests run, on the Node.js of PAYROLL_PAYMENTS_NODE, e.g. 22, or n8n's own choice. */
export async function installN8nUnderTest(): Promise<N8nInstallation> {
	const version = n8nVersionUnderTest();
	const { nodes } = N8N_VERSIONS[version];
	const wanted = process.env.PAYROLL_PAYMENTS_NODE ?? nodes[0];
	const major = nodes.find((one) => one === wanted);
	if (major !== undefined) return await installN8n(version, major);
	throw new Error(`n8n ${version} is tested on Node.js ${nodes.join(' and ')}, not ${wanted}.`);
}

/** The n8n that the tests run: PAYROLL_PAYMENTS_N8N, e.g. 1.123.81, or the default. */
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
