import { installN8n } from '../../scripts/lib/installations.mjs';
import { packedPackage } from '../../scripts/lib/packaging.mjs';
import { withProgress } from '../../scripts/lib/progress.mjs';
import { n8nVersionUnderTest } from './n8nUnderTest';
import { openSharedN8n } from './sharedN8n';

/** Runs once before the tests in a real n8n: packs the package, and installs the n8n. */
export default async function globalSetup(): Promise<void> {
	await installN8n(n8nVersionUnderTest());
	process.env.PAYROLL_PAYMENTS_TARBALL = await withProgress('Building and packing', packedPackage);
	openSharedN8n();
}
