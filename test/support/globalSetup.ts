import { packedPackage } from '../../scripts/lib/packaging.mjs';
import { withProgress } from '../../scripts/lib/progress.mjs';
import { installN8nUnderTest } from './n8nUnderTest';
import { openSharedN8n } from './sharedN8n';

/** Runs once before the tests in a real n8n: packs the package, and installs the n8n. */
export default async function globalSetup(): Promise<void> {
	await installN8nUnderTest();
	process.env.PAYROLL_PAYMENTS_TARBALL = await withProgress('Building and packing', packedPackage);
	openSharedN8n();
}
