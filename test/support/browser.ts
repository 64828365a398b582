import type { Browser } from 'playwright-core';

import { findBrowser, launch } from '../../scripts/lib/browser.mjs';

/** Starts a headless browser. */
export async function launchBrowser(): Promise<Browser> {
	return await launch(await findBrowser());
}
