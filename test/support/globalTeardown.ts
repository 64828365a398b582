import { closeSharedN8n } from '../../n8nHost/sharedN8n';

/** Runs once after the tests in a real n8n. */
export default async function globalTeardown(): Promise<void> {
	await closeSharedN8n();
}
