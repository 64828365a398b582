import { installN8n, n8nToTest } from '../../scripts/lib/installations.mjs';
import { buildAndPack } from '../../scripts/lib/packaging.mjs';
import { during } from '../../scripts/lib/progress.mjs';

/** Runs once before the end-to-end tests: the package packed as published, and an n8n for it. */
export default async function prepare() {
	await installN8n(n8nToTest());
	process.env.PAYROLL_PAYMENTS_TARBALL = await during('Building and packing', buildAndPack);
}
