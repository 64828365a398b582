import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

type Stop = () => Promise<void>;

/** What is still to be stopped when a test file has ended; test/jest/environment.cjs does it. */
const REGISTRY = Symbol.for('payroll-payments.cleanups');

function registry(): Set<Stop> | undefined {
	return Reflect.get(globalThis, REGISTRY);
}

/**
 * Stops something after the test file, even if a `beforeAll` fails. Outside of Jest, nothing happens.
 *
 * @returns takes that back, because it has been stopped or is stopped elsewhere
 */
export function stopAfterFile(stop: Stop): () => void {
	registry()?.add(stop);
	return () => registry()?.delete(stop);
}

/** A new folder, which is removed after the test file. */
export function temporaryFolder(name: string): string {
	const folder = mkdtempSync(path.join(tmpdir(), `payroll-payments-${name}-`));
	stopAfterFile(async () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}
