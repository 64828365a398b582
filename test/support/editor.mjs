import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { OWNER } from './n8n.mjs';

const BROWSERS = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * The browser that looks at n8n's editor: PAYROLL_PAYMENTS_CHROMIUM, or one that is installed.
 *
 * @returns {string | undefined}
 */
export function findChromium() {
	return process.env.PAYROLL_PAYMENTS_CHROMIUM ?? BROWSERS.find((each) => existsSync(each));
}

/** Wide enough for n8n's three panels, and so tall that no form has to be scrolled. */
const VIEWPORT = { width: 1280, height: 1500 };

/** n8n's own field at the end of credentials that its HTTP Request node can use. */
const N8N_FIELD = 'Allowed HTTP Request Domains';

/** n8n draws slowly on a busy machine. */
const PATIENCE_MILLISECONDS = 60_000;

/**
 * A field as a person sees it.
 *
 * @typedef {object} ShownField
 * @property {string} label
 * @property {boolean} isNotice
 * @property {boolean} isCut whether its label does not fit
 */

/** n8n's editor in a headless browser, signed in as the owner. */
export class Editor {
	/** What the browser's console complained about since the sign-in. */
	complaints = /** @type {string[]} */ ([]);

	/**
	 * @param {import('playwright-core').Browser} browser
	 * @param {import('playwright-core').Page} page
	 * @param {string} url
	 */
	constructor(browser, page, url) {
		this.browser = browser;
		this.page = page;
		this.url = url;
	}

	/** @param {import('./n8n.mjs').N8n} n8n started, with its owner */
	static async open(n8n) {
		const executablePath = findChromium();
		if (executablePath === undefined) {
			throw new Error('No Chromium here: install it, or name it in PAYROLL_PAYMENTS_CHROMIUM.');
		}
		const browser = await chromium.launch({
			executablePath,
			args: [
				'--no-sandbox',
				'--disable-gpu',
				'--disable-quic',
				'--disable-background-networking',
			],
		});
		const page = await browser.newPage({ viewport: VIEWPORT, reducedMotion: 'reduce' });
		page.setDefaultTimeout(PATIENCE_MILLISECONDS);
		await page.goto(`${n8n.url}/signin`);
		await page.fill('input[type=email]', OWNER.email);
		await page.fill('input[type=password]', OWNER.password);
		await page.keyboard.press('Enter');
		await page.waitForURL(({ pathname }) => !pathname.startsWith('/signin'));
		const editor = new Editor(browser, page, n8n.url);
		editor.#listen();
		return editor;
	}

	#listen() {
		this.page.on('pageerror', (error) => this.complaints.push(error.message));
		this.page.on('console', (message) => {
			const { url } = message.location();
			// Without internet n8n's own calls home fail; they are no concern of ours.
			const isElsewhere = url !== '' && !url.startsWith(this.url);
			if (message.type() === 'error' && !isElsewhere) this.complaints.push(message.text());
		});
	}

	/** @param {string} id */
	async openWorkflow(id) {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.page.waitForSelector('[data-test-id="canvas-node"]');
	}

	/**
	 * Opens a node's panel, as a double click on it does.
	 *
	 * @param {string} name
	 */
	async openNode(name) {
		const node = this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
		await node.dblclick();
		await this.page.waitForSelector('[data-test-id="node-parameters"]');
		await this.page.waitForTimeout(500);
	}

	async closeNode() {
		/* Leaving the credentials leaves the node too. */
		if ((await this.page.locator('[data-test-id="node-parameters"]').count()) === 0) return;
		await this.page.click('[data-test-id="ndv-close-button"]');
		await this.page.waitForSelector('[data-test-id="node-parameters"]', { state: 'detached' });
	}

	/**
	 * The fields of the open node, from top to bottom, the choice of its credentials left out.
	 *
	 * @returns {Promise<ShownField[]>}
	 */
	async fields() {
		const shown = ':is([data-test-id="input-label"], .notice):visible';
		return await this.#fieldsAt(`[data-test-id="node-parameters"] ${shown}`);
	}

	/** @returns {Promise<ShownField[]>} the fields of the open credentials, from top to bottom */
	async credentialFields() {
		const fields = await this.#fieldsAt('[data-test-id="credential-connection-parameter"]:visible');
		return fields.filter(({ label }) => label !== N8N_FIELD);
	}

	/** @param {string} selector */
	async #fieldsAt(selector) {
		return await this.page.locator(selector).evaluateAll((elements) =>
			elements.map((element) => {
				const text = element.querySelector('label span') ?? element;
				return {
					label: (text.textContent ?? '').replace('*', '').trim(),
					isNotice: element.matches('.notice, :has(.notice)'),
					isCut: text.clientWidth > 0 && text.scrollWidth > text.clientWidth + 1,
				};
			}),
		);
	}

	/** Opens the credentials of the open node, as its pencil does. */
	async openCredentials() {
		await this.page.click('[data-test-id="credential-edit-button"]');
		const first = this.page.locator('[data-test-id="credential-connection-parameter"]').first();
		await first.waitFor();
		await this.page.waitForTimeout(1_000);
	}

	async closeCredentials() {
		await this.page.keyboard.press('Escape');
		await this.page.waitForSelector('[data-test-id="credential-edit-dialog"]', { state: 'detached' });
	}

	/**
	 * Takes a picture of one part of the page, down to the end of the form in it.
	 *
	 * @param {string} file
	 * @param {string} part
	 * @param {string} end the last thing that has to be on it
	 */
	async shoot(file, part, end) {
		const frame = await this.page.locator(part).first().boundingBox();
		const last = await this.page.locator(end).last().boundingBox();
		if (frame === null || last === null) throw new Error(`${part} or ${end} is not there.`);
		const height = Math.min(last.y + last.height + 16, frame.y + frame.height) - frame.y;
		await this.page.screenshot({ path: file, clip: { ...frame, height } });
	}

	async close() {
		await this.browser.close();
	}
}
