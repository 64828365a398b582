import type { Browser } from 'playwright-core';

import { findBrowser, launch } from '../../tooling/browser.mjs';
import { stopAfterFile } from '../../n8nHost/cleanups';

/** Starts a headless browser, until the test file has ended at most. */
export async function launchBrowser(): Promise<Browser> {
	const browser = await launch(await findBrowser());
	stopAfterFile(async () => await browser.close());
	return browser;
}
