import { get } from 'node:http';
import path from 'node:path';

import { Wallet } from 'ethers';
import type { Page } from 'playwright-core';

import { DEV_SETTINGS } from '../../practice/dev';
import {
	loadExamples,
	saveDemoCredentials,
	startLinks,
	startPractice,
	UNDISTRACTED,
	type LoadedExample,
} from '../../practice/demo';
import type { Landing } from '../../practice/landing';
import type { Practice } from '../../practice/practice';
import { hasEnded } from '../../n8nHost/executions';
import { administrator } from '../../n8nHost/sandboxCredentials';
import { Editor } from '../support/editor';
import { formLink, signedOutside } from '../support/exampleForms';
import { readExample } from '../../practice/exampleFiles';
import { Film, pictureFile } from '../../tooling/pictures';
import { startTestEnvironment, AS_INSTALLED } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { isUp, waitUntil } from '../../n8nHost/waiting';
import type { WorkflowNode } from '../../n8nHost/workflows';

/** Examples that the front page shows without their notes. */
const PICTURED = ['deposit-to-sheet', 'payroll-sheet-to-invites', 'cleared-deposit-to-payment'];

/** Nodes that need an account elsewhere, and the type of its credential. */
const ACCOUNTS: Readonly<Record<string, string>> = {
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.trello': 'trelloApi',
};

/** Start with a person's message in the chat, or with an assistant's call. */
const ASKED = ['ai-agent-with-review', 'mcp-reading'];

const isDrawn = ({ type }: WorkflowNode): boolean => !type.endsWith('.stickyNote');

/** Waits until the editor that loads in this page is connected to n8n: before, it runs nothing. */
async function connected(page: Page, loaded: Promise<unknown>): Promise<void> {
	const socket = page.waitForEvent('websocket');
	await Promise.all([socket.then(async (each) => await each.waitForEvent('framesent')), loaded]);
}

const SETTINGS = { ...AS_INSTALLED, ...UNDISTRACTED, ...DEV_SETTINGS };

const environment = useEnvironment(
	async () => await startTestEnvironment(SETTINGS, { signerPort: 4011 }),
);
let examples: readonly LoadedExample[];
let links: Landing;
let practice: Practice;
/** Not signed in until it follows a link. */
let editor: Editor;
let versions: string;
/** The last execution of each example that ran to its end. */
const runs = new Map<string, string>();

beforeAll(async () => {
	const { n8n, n8nProcess, sandbox } = environment;
	versions = path.join(n8nProcess.dataFolder, 'examples.json');
	examples = await loadExamples(n8n, sandbox, versions);
	links = await startLinks(n8n, sandbox, examples);
	practice = await startPractice(n8n, n8nProcess, sandbox, examples, links);
	editor = await Editor.start(n8n.url);
});

afterAll(async () => {
	await practice.stop();
	await links.stop();
});

function example(name: string): LoadedExample {
	const found = examples.find((each) => each.name === name);
	if (found === undefined) throw new Error(`There is no example ${name}.`);
	return found;
}

describe('npm start', () => {
	/** Follows one of the links that are printed, which signs in and shows the workflow on the canvas. */
	async function open(name: string): Promise<Page> {
		const page = await editor.page.context().newPage();
		await connected(page, page.goto(`${links.url}/${name}`));
		const { id, workflow } = example(name);
		expect(page.url()).toBe(`${environment.n8n.url}/workflow/${id}`);
		const drawn = workflow.nodes.filter(isDrawn);
		for (const { name: title } of drawn) {
			await page.locator(`[data-test-id="canvas-node"][data-node-name="${title}"]`).waitFor();
		}
		expect(await page.locator('[data-test-id="canvas-node"]').count()).toBe(drawn.length);
		return page;
	}

	const PAID =
		/^Paid: \$777\.00 to “supplier@example\.com” .*\. Approved by “Ada” on \d.* UTC, transaction “tx-\S+”$/;

	/* n8n/payingExamples.test.ts answers no to both. */
	it.each([
		['cleared-deposit-to-payment', PAID],
		[
			'payroll-run-with-approval',
			/^3 of 3 paid \(\$13,175\.50\)\. Approved by “Ada” on \d.* UTC, fingerprint \S+$/,
		],
	])('%s asks in n8n’s own form, and says what came of the answer', async (name, said) => {
		const page = await open(name);
		const run = async () => {
			const opened = page.context().waitForEvent('page', { timeout: 60_000 });
			await page.click('[data-test-id="execute-workflow-button"] >> visible=true');
			return await opened;
		};
		/* On a busy machine, the editor can lose the connection over which n8n tells it of the form. */
		const form = await run().catch(async () => {
			await connected(page, page.reload());
			return await run();
		});
		const choice = form.getByText('Pay', { exact: true }).first();
		/* n8n can open the form before it has saved the execution. The page then shows an error, or never loads. */
		await waitUntil('the form is shown', async () => {
			await choice.waitFor({ timeout: 3_000 }).catch(() => undefined);
			const isShown = await choice.isVisible();
			if (!isShown) await form.reload({ timeout: 10_000 }).catch(() => undefined);
			return isShown;
		});
		const file = pictureFile(`form-${name}`);
		if (file !== undefined) await form.locator('.card').first().screenshot({ path: file });
		/* It fits on a phone. The payroll run’s form comes from the node, in a list. */
		const before = form.viewportSize() ?? { width: 1280, height: 800 };
		await form.setViewportSize({ width: 390, height: 844 });
		expect(await form.evaluate('document.documentElement.scrollWidth')).toBe(390);
		await form.setViewportSize(before);
		await choice.click();
		await form.locator('input[type=text]').fill('Ada');
		await form.locator('button[type=submit], #submit-btn').first().click();
		await form.getByText(said).waitFor();
		await form.close();
		await page.close();
	});

	/* examples/people.test.ts declines. */
	it('has the agent ask a person in the chat, and invite once they approve', async () => {
		const { sandbox } = environment;
		const before = await sandbox.count('createInvites');
		const page = await open('ai-agent-with-review');
		await page.click('[data-test-id="workflow-chat-button"]');
		await page
			.locator('[data-test-id="canvas-chat"] textarea')
			.fill('Please invite ana.chat@example.com as a contractor.');
		await page.keyboard.press('Enter');
		const approve = page.getByRole('button', { name: 'Approve' });
		await approve.waitFor();
		expect(await sandbox.count('createInvites')).toBe(before);
		await approve.click();
		const invites = async () => (await sandbox.count('createInvites')) === before + 1;
		await waitUntil('the agent invites someone', invites);
		/* n8n would open the panel in other workflows, too. */
		await page.click('[data-test-id="workflow-chat-button"]');
		await page.close();
	});

	it('updates its examples, and keeps a person’s changes', async () => {
		const { n8n, sandbox } = environment;
		const [first, second] = examples;
		if (first === undefined || second === undefined) throw new Error('There are no examples.');
		const before = await n8n.request<{ versionId: string }>('GET', `/rest/workflows/${first.id}`);
		await n8n.request('PATCH', `/rest/workflows/${first.id}?forceSave=true`, {
			versionId: before.versionId,
			nodes: first.workflow.nodes.map((node) => ({ id: node.name, ...node })).slice(0, 2),
			connections: {},
		});
		const again = await loadExamples(n8n, sandbox, versions);
		expect(again.map(({ id }) => id)).toEqual(examples.map(({ id }) => id));
		const nodes = async (id: string) =>
			(await n8n.request<{ nodes: unknown[] }>('GET', `/rest/workflows/${id}`)).nodes.length;
		expect(await nodes(first.id)).toBe(2);
		expect(await nodes(second.id)).toBe(second.workflow.nodes.length);
	});

	const inbox = async () => {
		type Inbox = { messages: { text: string }[] };
		const { messages } = await environment.sandbox.control<Inbox>('GET', 'messages');
		return messages.map(({ text }) => text);
	};
	/** Runs the payroll example, and approves what it asks for; returns what it says at the end. */
	async function payroll(): Promise<string | undefined> {
		const { n8n } = environment;
		const before = await inbox();
		const added = async () => (await inbox()).slice(before.length);
		const id = await n8n.startWorkflow(example('payroll-run-with-approval').id);
		await waitUntil('the payroll run asks', async () => (await added()).length > 0);
		const [link = ''] = /http\S+form-waiting\S+/.exec((await added())[0] ?? '') ?? [];
		await waitUntil('it waits', async () => (await n8n.execution(id)).status === 'waiting');
		const body = new FormData();
		body.append('field-1', JSON.stringify(['Pay']));
		body.append('field-2', 'Ada');
		expect((await fetch(link, { method: 'POST', body })).status).toBe(200);
		expect((await n8n.waitForExecution(id)).error).toBeUndefined();
		return (await added()).at(-1);
	}

	/* The run in n8n's own form has paid the three rows of the sheet. */
	it('pays the sheet again once everything has started over, on both sides', async () => {
		const { sandbox, n8nProcess } = environment;
		const request = { operation: 'read', tab: 'Payments' };
		const rows = await sandbox.control<Record<string, unknown>[]>('POST', 'sheet', request);
		expect(rows.map(({ outcome }) => outcome)).toEqual(['paid', 'paid', 'paid']);

		const { ended } = n8nProcess;
		await sandbox.control('POST', 'reset', { keepEndpoints: true });
		await ended;
		await waitUntil('n8n is back', async () => await isUp(`${n8nProcess.url}/healthz/readiness`));
		expect(await inbox()).toEqual([]);
		expect(await payroll()).toMatch(/3 (payments were )?(paid|made).*\$13,175\.50/);
	});

	/** Does what a person does until an execution ends: answers a form, confirms in the wallet. */
	async function seeThrough(name: string, executionId: string, cookie: string): Promise<void> {
		const { n8n, sandbox } = environment;
		const { signerUrl } = sandbox;
		let isAnswered = false;
		await waitUntil(`${name} ends`, async () => {
			const execution = await n8n.execution(executionId);
			const isAsked = execution.status === 'waiting' && !isAnswered;
			const link = isAsked ? await formLink(n8n, executionId) : undefined;
			if (link !== undefined) {
				const { privateKey } = await administrator(sandbox.url);
				const body = new FormData();
				const signature = async () => await signedOutside(execution, new Wallet(privateKey));
				const choice = JSON.stringify([name.startsWith('administrator-') ? 'Approve' : 'Pay']);
				body.append('field-1', name === 'sign-outside' ? await signature() : choice);
				body.append('field-2', 'Ada');
				const answer = await fetch(link, { method: 'POST', body, headers: { cookie } });
				isAnswered = answer.status === 200;
			}
			const shown = await (await fetch(`${signerUrl}/requests`)).text();
			const requests: { id: number }[] = JSON.parse(shown);
			for (const { id } of requests) {
				await fetch(`${signerUrl}/requests/${id}/confirm`, { method: 'POST' });
			}
			return hasEnded(execution);
		});
	}

	it('runs every example to its end, with a person’s answers', async () => {
		const { n8n, sandbox } = environment;
		const cookie = await n8n.signInCookie();
		/* Nobody approves in the practice desk’s channel, so those leave to the others what they would pay. */
		const last = (name: string) => Number(!name.includes('in-slack'));
		const started = examples
			.filter(({ name }) => !ASKED.includes(name))
			.sort((one, other) => last(one.name) - last(other.name));
		/* It would wait two minutes for its event. */
		const canary = JSON.stringify(example('webhook-canary').workflow);
		const quick = JSON.parse(
			canary.replace('"amount":2,"unit":"minutes"', '"amount":5,"unit":"seconds"'),
		);
		await n8n.saveWorkflow(quick, await saveDemoCredentials(n8n, sandbox));
		for (const { name, id } of started) {
			/* Another run has paid the rows that were there. The sample event has this transaction. */
			const isPaid = name === 'was-it-paid';
			if (isPaid || name.startsWith('payroll-run-')) {
				const row = { reference: name, recipient_email: 'new.one@example.com', amount: '10' };
				const cells = isPaid ? { ...row, outcome: 'paid', transaction: 'tx-sample000001' } : row;
				await sandbox.control('POST', 'sheet/rows', { tab: 'Payments', cells });
			}
			const run = await n8n.startWorkflow(id);
			runs.set(name, run);
			await seeThrough(name, run, cookie);
		}
		const ended: Record<string, unknown> = {};
		for (const [name, id] of runs) {
			const { status, error } = await n8n.execution(id);
			ended[name] = error ?? status;
		}
		expect(ended).toEqual(Object.fromEntries(started.map(({ name }) => [name, 'success'])));
	});

	it('signs in only for its own links, and not for another host name', async () => {
		const status = async (route: string, headers: Record<string, string> = {}) =>
			await new Promise<number | undefined>((resolve, reject) => {
				get(`${links.url}${route}`, { headers }, ({ statusCode }) => {
					resolve(statusCode);
				}).once('error', reject);
			});
		expect(await status('/')).toBe(200);
		expect(await status('/', { host: 'example.com' })).toBe(404);
		expect(await status('/unknown')).toBe(404);
		expect(await status('/constructor')).toBe(404);
	});
});

describe('an example on the canvas', () => {
	beforeAll(async () => {
		await editor.page.request.get(links.url);
	});

	async function takeDrawing(name: string, hasNotes: boolean): Promise<void> {
		const file = pictureFile(name);
		if (file !== undefined) await editor.takeDrawing(file, hasNotes);
	}

	/*
	 * It takes minutes, and only a changed example or another n8n changes what there is to see. What the
	 * editor would warn of, package.test.ts finds.
	 */
	if (pictureFile('examples') !== undefined) {
		it('every example is drawn with the ticks of its run, and no note is cut off', async () => {
			const { n8n, sandbox, database } = environment;
			const accounts = Object.values(ACCOUNTS).map(
				async (type) => await n8n.saveCredentials(type, 'Sample data', {}),
			);
			const all = [...(await saveDemoCredentials(n8n, sandbox)), ...(await Promise.all(accounts))];
			const saved = new Map(all.map(({ type, ...each }) => [type, each]));
			for (const { name, id } of examples) {
				const run = runs.get(name) ?? (await database.executions(id)).at(-1)?.id;
				/* As its author drew it, with accounts elsewhere. */
				const { nodes, ...workflow } = readExample(name);
				const withCredentials = nodes.map((node): WorkflowNode => {
					const types = [...Object.keys(node.credentials ?? {}), ACCOUNTS[node.type] ?? ''];
					const chosen = types.flatMap((type) => {
						const found = saved.get(type);
						return found === undefined ? [] : [[type, found] as const];
					});
					return { ...node, credentials: Object.fromEntries(chosen) };
				});
				await editor.draw({ ...workflow, nodes: withCredentials }, run);
				expect([name, await editor.cutNotes()]).toEqual([name, []]);
				await takeDrawing(`examples/${name}`, true);
				if (PICTURED.includes(name)) await takeDrawing(`example-${name}`, false);
			}
		});
	}

	it('deposit-to-message turns a signed deposit into a message', async () => {
		const { n8n, sandbox, teamId } = environment;
		const { workflow } = example('deposit-to-message');
		const nodes = workflow.nodes.filter(isDrawn);
		const credentials = await saveDemoCredentials(n8n, sandbox);
		const { id } = await n8n.saveWorkflow({ ...workflow, nodes, pinData: {} }, credentials);
		const { page } = editor;
		await connected(page, editor.openWorkflow(id));
		const logs = page.locator('[data-test-id="logs-overview-header"]');
		await logs.waitFor();
		/* n8n keeps them open if they were open in the workflow before. */
		const areOpen = await page.locator('[data-test-id="logs-overview-body"]').isVisible();
		if (!areOpen) await logs.click();
		await page.setViewportSize({ width: 942, height: 640 });
		/* n8n's key for a view that fits. */
		await page.keyboard.press('1');
		await page.waitForTimeout(1_000);
		const film = new Film('deposit-to-message', async () => await editor.workflowFrame());
		await film.hold(1_200);
		await page.click('[data-test-id="execute-workflow-button"] >> visible=true');
		await page.mouse.move(0, 0);
		await page.getByText('Waiting for the service to send an event').waitFor();
		await film.hold(1_800);
		const webhookId = nodes.find((node) => node.webhookId !== undefined)?.webhookId;
		const url = `${n8n.url}/webhook-test/${webhookId}/webhook`;
		await sandbox.control('POST', 'endpoints', { url });
		const deposit = { entity_nanoid: teamId, destination_amount_cents: 125_000 };
		await sandbox.control('POST', 'deposits', { deposit });
		const outcome = page.locator('[data-test-id="logs-overview-status"]');
		await film.until(outcome.filter({ hasText: 'Success' }).waitFor());
		await film.hold(1_200);
		await page.getByText('$1,250.00 arrived in Engineering').waitFor();
		await film.hold(4_000);
		film.save();
	});
});
