import { chromium, type Browser } from 'playwright-core';

import { findBrowser } from '../../scripts/lib/browser.mjs';

/** Starts a headless browser. */
export async function launchBrowser(): Promise<Browser> {
	const command = await findBrowser();
	if (command === undefined) {
		throw new Error(
			'No Chrome or Chromium found. Install it, or set PAYROLL_PAYMENTS_CHROMIUM to its path.',
		);
	}
	return await chromium.launch({
		...command,
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
	});
}
