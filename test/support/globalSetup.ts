import { packedPackage } from '../../tooling/packaging.mjs';
import { withProgress } from '../../tooling/progress.mjs';
import { installN8nUnderTest } from '../../n8nHost/n8nUnderTest';
import { openSharedN8n } from '../../n8nHost/sharedN8n';

/** Runs once before the tests in a real n8n: packs the package, and installs the n8n. */
export default async function globalSetup(): Promise<void> {
	await installN8nUnderTest();
	process.env.PAYROLL_PAYMENTS_TARBALL = await withProgress('Building and packing', packedPackage);
	openSharedN8n();
}
