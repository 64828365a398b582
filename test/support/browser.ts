import type { Browser } from 'playwright-core';

import { findBrowser, launch } from '../../scripts/lib/browser.mjs';
import { stopAfterFile } from './cleanups';

/** Starts a headless browser, until the test file has ended at most. */
export async function launchBrowser(): Promise<Browser> {
	const browser = await launch(await findBrowser());
	stopAfterFile(async () => await browser.close());
	return browser;
}
