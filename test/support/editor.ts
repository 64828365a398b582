import { writeFileSync } from 'node:fs';

import type { Locator, Page } from 'playwright-core';

import { launchBrowser } from './browser';
import { withPalette } from '../../tooling/palette';
import { pictureFile } from '../../tooling/pictures';
import { LOGIN } from '../../n8nHost/n8nRest';
import type { Workflow } from '../../n8nHost/workflows';

/** Wide enough for n8n's three panels, and tall enough to show any form without scrolling. */
const VIEWPORT = { width: 1280, height: 1500 };

/** n8n's own field at the end of credentials that its HTTP Request node can use. */
const N8N_FIELD = 'Allowed HTTP Request Domains';

const CREDENTIAL_FIELD = '[data-test-id="credential-connection-parameter"]:visible';

/** Tall enough for a credential with all its fields. */
const TALL_VIEWPORT = { width: 1280, height: 2200 };

/** n8n limits the height of the dialog, and scrolls the fields in it. */
const TALL_DIALOG = `
	[data-test-id='editCredential-modal'] {
		height: 100vh !important;
		max-height: none !important;
	}`;

/** n8n's own messages, and the button of its assistant, which not every n8n has. */
const DISTRACTIONS = `
	:is([data-test-id='node-error-view-instance-ai-button'], .el-notification) {
		display: none !important;
	}`;

/** Leaves of the page what belongs to the workflow: no buttons, tabs, menus or messages. */
const WORKFLOW_ONLY = `
	:is([data-test-id='canvas-controls'], [data-test-id='canvas-handle-plus-wrapper'],
		[data-test-id='canvas-minimap'], [data-test-id='canvas-node-toolbar'],
		[data-test-id='clear-execution-data-button'], .el-notification),
	:is([data-test-id='execute-workflow-button'], [data-test-id='node-creator-plus-button'],
		[data-test-id='radio-button-workflow']),
	:has(> :is([data-test-id='execute-workflow-button'], [data-test-id='node-creator-plus-button'])),
	:is([data-test-id='command-bar-button'], [data-test-id='add-sticky-button'],
		[data-test-id='toggle-focus-panel-button']),
	:is([data-test-id='radio-button-executions'], [data-test-id='radio-button-evaluation']),
	[role='radiogroup']:has([data-test-id='radio-button-workflow']) {
		visibility: hidden !important;
	}`;

/** The same without the canvas’s dots, which take many bytes. */
const DRAWING_ONLY = `${WORKFLOW_ONLY}
	.vue-flow__background {
		display: none !important;
	}`;

const DRAWN = '.vue-flow__node';

/** n8n tells the page around it that it can show a workflow. */
const MARK_WHEN_READY = `addEventListener('message', ({ data }) => {
	if (String(data).includes('n8nReady')) document.documentElement.dataset.ready = 'true';
});`;

/** Room around the nodes in a picture, for their names and subtitles. */
const MARGIN = { top: 24, right: 64, bottom: 80, left: 64 };

/** n8n renders slowly on a busy machine. */
const TIMEOUT_MILLISECONDS = 180_000;

/** A field as the user sees it. */
export interface ShownField {
	readonly label: string;
	readonly isNotice: boolean;
	/** Whether its label does not fit. */
	readonly isCut: boolean;
}

type Box = Record<'left' | 'top' | 'right' | 'bottom', number>;

async function boxesOf(elements: Locator): Promise<Box[]> {
	return await elements.evaluateAll((all) =>
		all.map((each) => each.getBoundingClientRect().toJSON()),
	);
}

/** n8n's editor in a headless browser, signed in as the owner. */
export class Editor {
	readonly consoleErrors: string[] = [];

	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** @param url of an n8n that has its owner */
	static async open(url: string): Promise<Editor> {
		const editor = await Editor.start(url);
		await editor.page.request.post(`${url}/rest/login`, { data: LOGIN, failOnStatusCode: true });
		editor.page.on('pageerror', (error) => editor.consoleErrors.push(error.message));
		editor.page.on('console', (message) => {
			const { url: source } = message.location();
			// Without internet n8n's own calls home fail; they don't concern us.
			const isElsewhere = source !== '' && !source.startsWith(url);
			if (message.type() === 'error' && !isElsewhere) editor.consoleErrors.push(message.text());
		});
		return editor;
	}

	/** A browser that hasn't signed in. */
	static async start(url: string): Promise<Editor> {
		const browser = await launchBrowser();
		const context = await browser.newContext({
			viewport: VIEWPORT,
			reducedMotion: 'reduce',
			/* n8n takes approvals from people only, and a headless browser names itself. */
			userAgent: `Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
		});
		/* For pages that the editor opens, too. */
		context.setDefaultTimeout(TIMEOUT_MILLISECONDS);
		return new Editor(await context.newPage(), url);
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.page.waitForSelector('[data-test-id="canvas-node"]');
	}

	async openNode(name: string): Promise<void> {
		await this.page.dblclick(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
		await this.page.waitForSelector('[data-test-id="node-parameters"]');
		await this.page.waitForTimeout(500);
	}

	async closeNode(): Promise<void> {
		/* Closing the credentials closes the node too. */
		if ((await this.page.locator('[data-test-id="node-parameters"]').count()) === 0) return;
		await this.page.click('[data-test-id="ndv-close-button"]');
		await this.page.waitForSelector('[data-test-id="node-parameters"]', { state: 'detached' });
	}

	/** The fields of the open node from top to bottom, without the choice of its credentials. */
	async fields(): Promise<ShownField[]> {
		const shown = ':is([data-test-id="input-label"], .notice):visible';
		return await this.fieldsAt(`[data-test-id="node-parameters"] ${shown}`);
	}

	/** The fields of the open credentials from top to bottom. */
	async credentialFields(): Promise<ShownField[]> {
		const fields = await this.fieldsAt(CREDENTIAL_FIELD);
		return fields.filter(({ label }) => label !== N8N_FIELD);
	}

	private async fieldsAt(selector: string): Promise<ShownField[]> {
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

	async openCredentials(): Promise<void> {
		await this.page.click('[data-test-id="credential-edit-button"]');
		await this.credentialsAreReady();
	}

	/** n8n names credentials once they are loaded, and refuses to save new ones before. */
	async credentialsAreReady(): Promise<void> {
		await this.page.locator('[data-test-id="credential-name"]').waitFor();
		await this.page.locator(CREDENTIAL_FIELD).first().waitFor();
	}

	async closeCredentials(): Promise<void> {
		const dialog = this.page.locator('[data-test-id="credential-edit-dialog"]');
		// n8n asks this when it has filled in defaults that the saved credentials don't have.
		const question = this.page.getByRole('dialog', { name: 'Close without saving?' });
		await this.page.keyboard.press('Escape');
		await Promise.race([dialog.waitFor({ state: 'detached' }), question.waitFor()]);
		if (await question.isVisible()) {
			await question.getByRole('button', { name: 'Close', exact: true }).last().click();
		}
		await dialog.waitFor({ state: 'detached' });
	}

	/** Takes a picture of the open node's form, down to its end, if the documents want one. */
	async takePicture(name: string): Promise<void> {
		const file = pictureFile(name);
		if (file === undefined) return;
		await this.movePointerAway();
		const panel = this.page.locator('[data-test-id="node-parameters"]').first();
		const fields = panel.locator('[data-test-id="parameter-item"]:visible');
		const [frame, last] = [await panel.boundingBox(), await fields.last().boundingBox()];
		if (frame === null || last === null) throw new Error('No form is on the page.');
		const height = Math.min(last.y + last.height + 16, frame.y + frame.height) - frame.y;
		await this.page.screenshot({ path: file, clip: { ...frame, height }, style: DISTRACTIONS });
	}

	/** A field under the pointer shows buttons. */
	private async movePointerAway(): Promise<void> {
		await this.page.mouse.move(0, 0);
		await this.page.waitForTimeout(500);
	}

	async takeErrorPicture(file: string): Promise<void> {
		const parts = [
			'[data-test-id="ndv"] [data-test-id="node-execute-button"]',
			'[data-test-id="parameter-item"]:has-text("Authentication")',
			'[data-test-id="node-error-description"]',
		];
		await this.movePointerAway();
		const margin = { top: 8, right: 8, bottom: 16, left: 16 };
		const shown = this.page.locator(parts.join(', '));
		writeFileSync(file, await this.takePictureOf(shown, margin, DISTRACTIONS));
	}

	async takeCredentialPicture(file: string): Promise<void> {
		await this.page.addStyleTag({ content: TALL_DIALOG });
		await this.page.setViewportSize(TALL_VIEWPORT);
		await this.movePointerAway();
		const fields = this.page.locator(CREDENTIAL_FIELD).filter({ hasNotText: N8N_FIELD });
		const margin = { top: 16, right: 16, bottom: 16, left: 16 };
		writeFileSync(file, await this.takePictureOf(fields, margin));
		await this.page.setViewportSize(VIEWPORT);
	}

	/**
	 * Shows a workflow as n8n’s page for previews does: saves nothing, and hides what is left to set up.
	 *
	 * @param execution of a workflow with the same names of nodes, whose ticks are shown
	 */
	async draw({ nodes, ...workflow }: Workflow, execution?: string): Promise<void> {
		const { page } = this;
		if (!page.url().endsWith('/workflows/demo')) {
			await page.addInitScript(MARK_WHEN_READY);
			await page.goto(`${this.url}/workflows/demo`);
			await page.waitForSelector('html[data-ready]');
		}
		/* n8n makes a workflow smaller than life if it doesn't fit. */
		const [xs, ys] = [0, 1].map((axis) => nodes.map(({ position }) => position[axis] ?? 0));
		const widest = Math.max(...nodes.map(({ parameters }) => Number(parameters.width ?? 0)));
		const span = (of: number[] = []) => Math.max(...of) - Math.min(...of);
		const width = Math.ceil(Math.max(span(xs), widest) * 1.2) + 400;
		await page.setViewportSize({ width, height: Math.ceil(span(ys) * 1.2) + 500 });
		await page.unrouteAll();
		await page.route(/\/rest\/executions\/\d+/, async (route) => {
			const response = await route.fetch();
			const { data } = await response.json();
			const json = { data: { ...data, workflowData: { ...data.workflowData, nodes } } };
			await route.fulfill({ response, json });
		});
		const command =
			execution === undefined
				? { command: 'openWorkflow', workflow: { ...workflow, nodes }, hideNodeIssues: true }
				: { command: 'openExecution', executionId: execution, executionMode: 'trigger' };
		await page.evaluate(`postMessage(${JSON.stringify(JSON.stringify(command))}, '*')`);
		for (const { id } of nodes) await page.locator(`${DRAWN}[data-id="${id}"]`).waitFor();
		await this.canvasRests();
		await page.evaluate(`postMessage('{"command":"fitView"}', '*')`);
		await this.canvasRests();
	}

	private async canvasRests(): Promise<void> {
		let before = '';
		for (;;) {
			const now = JSON.stringify(await boxesOf(this.page.locator(DRAWN)));
			if (now === before) return;
			before = now;
			await this.page.waitForTimeout(300);
		}
	}

	/** Notes on the canvas whose text is longer than they are high. */
	async cutNotes(): Promise<string[]> {
		return await this.page.locator(DRAWN).evaluateAll((nodes) =>
			nodes.flatMap((node) => {
				const { bottom } = node.getBoundingClientRect();
				const lines = [...node.querySelectorAll('.sticky-textarea, [class*="sticky"] :is(p, li)')];
				return lines.some((line) => line.getBoundingClientRect().bottom > bottom)
					? [node.textContent ?? '']
					: [];
			}),
		);
	}

	async takeDrawing(file: string, hasNotes: boolean): Promise<void> {
		const nodes = this.page.locator(hasNotes ? DRAWN : `${DRAWN}:not(:has([class*="sticky"]))`);
		const picture = await this.takePictureOf(nodes, MARGIN, DRAWING_ONLY);
		writeFileSync(file, await withPalette(this.page, picture));
	}

	private async takePictureOf(
		elements: Locator,
		margin: typeof MARGIN,
		style?: string,
	): Promise<Buffer> {
		const boxes = await boxesOf(elements);
		const x = Math.min(...boxes.map(({ left }) => left)) - margin.left;
		const y = Math.min(...boxes.map(({ top }) => top)) - margin.top;
		const width = Math.max(...boxes.map(({ right }) => right)) + margin.right - x;
		const height = Math.max(...boxes.map(({ bottom }) => bottom)) + margin.bottom - y;
		return await this.page.screenshot({ clip: { x, y, width, height }, style });
	}

	/** A picture of the canvas and the logs below it. */
	async workflowFrame(): Promise<Buffer> {
		const frame = await this.page.locator('[data-test-id="canvas-wrapper"]').boundingBox();
		const { width = 0, height = 0 } = this.page.viewportSize() ?? {};
		if (frame === null) throw new Error('There is no canvas on the page.');
		/* Below the tabs, which reach into the canvas. */
		const [x, y] = [frame.x, frame.y + 16];
		const clip = { x, y, width: width - x, height: height - y };
		return await this.page.screenshot({ clip, style: WORKFLOW_ONLY });
	}
}
