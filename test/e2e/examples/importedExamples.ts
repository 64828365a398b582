import { forSandbox } from '../../../practice/readyExamples';
import { readExample, webhookUrl } from '../../../practice/exampleFiles';
import type { Execution } from '../../../n8nHost/executions';
import type { Credentials } from '../../../n8nHost/n8nRest';
import { shareTestEnvironment } from '../../../n8nHost/testEnvironment';
import { useEnvironment } from '../../support/useEnvironment';
import { ThirdParties } from '../../support/thirdParties';
import { waitFor } from '../../../n8nHost/waiting';
import type { Workflow } from '../../../n8nHost/workflows';

export const environment = useEnvironment(shareTestEnvironment);
let model: Credentials;
let webhookId: string;
export const parties = new ThirdParties();

beforeAll(async () => {
	await parties.start();
	const { n8n, sandbox } = environment;
	const url = `${sandbox.url}/sandbox/model/v1`;
	model = await n8n.saveCredentials('openAiApi', 'Practice model', { apiKey: 'practice', url });
	({ webhook: webhookId } = await sandbox.control<{ webhook: string }>('GET', 'organisation'));
	await sandbox.control('POST', 'settings', { retryDelays: [200, 400, 800] });
});

beforeEach(async () => {
	parties.forget();
	for (const route of ['endpoints', 'faults', 'log']) {
		await environment.sandbox.control('DELETE', route);
	}
});

export type Edit = (text: string) => string;

/** Imports an example with its third-party nodes replaced, and returns its identifier. */
export async function importExample(
	name: string,
	edit: Edit = (text) => text,
	more: readonly Credentials[] = [],
): Promise<{ id: string; workflow: Workflow }> {
	const { n8n, sandbox, teamId, account, api, webhook } = environment;
	const example = forSandbox(JSON.stringify(readExample(name, teamId)), {
		url: sandbox.url,
		webhookId,
		wallet: account.address,
	});
	const workflow = parties.in(JSON.parse(edit(example)));
	const { id } = await n8n.saveWorkflow(workflow, [api, webhook, model, ...more]);
	return { id, workflow };
}

/** Runs an example from its first trigger, with its pinned data. */
export async function run(name: string, edit?: Edit): Promise<Execution> {
	const { id } = await importExample(name, edit);
	const execution = await environment.n8n.runWorkflow(id);
	expect(execution.error).toBeUndefined();
	return execution;
}

/** Unpins the data of an example, as pressing P on its nodes does. */
export const unpinned: Edit = (text) => JSON.stringify({ ...JSON.parse(text), pinData: {} });

export async function sendEventsTo(url: string): Promise<void> {
	await environment.sandbox.control('POST', 'endpoints', { nanoid: webhookId, url });
}

/** Activates an example and registers its webhook at the sandbox. */
export async function listen(name: string, edit?: Edit): Promise<string> {
	const { n8n } = environment;
	const { id, workflow } = await importExample(name, edit);
	await n8n.activate(id);
	const url = webhookUrl(n8n.url, workflow);
	await n8n.waitForWebhook(url);
	await sendEventsTo(url);
	return id;
}

/** Waits for the last execution of a workflow to end. */
export async function ended(id: string): Promise<Execution> {
	const last = (await environment.database.executions(id)).at(-1);
	if (last === undefined) throw new Error('The workflow has not run.');
	const execution = await environment.n8n.waitForExecution(last.id);
	expect(execution.error).toBeUndefined();
	return execution;
}

/** The statuses of a workflow's executions, once there are so many and all of them have ended. */
export async function statusesOf(id: string, count: number): Promise<string[]> {
	return await waitFor(`${count} executions have ended`, async () => {
		const statuses = (await environment.database.executions(id)).map(({ status }) => status);
		const haveEnded = statuses.every((status) => ['success', 'error'].includes(status));
		return haveEnded && statuses.length >= count ? statuses : undefined;
	});
}

/** The last execution of a workflow, once it waits for a person. */
export async function waitingExecution(id: string): Promise<string> {
	return await waitFor('the workflow waits for a person', async () => {
		const last = (await environment.database.executions(id)).at(-1);
		return last?.status === 'waiting' ? last.id : undefined;
	});
}

/**
 * Opens the form that was asked for as a link preview does, guesses at its address, and then decides.
 *
 * @returns the text of the form, and of its last page
 */
export async function decide(
	id: string,
	decision: string,
): Promise<{ form: string; lastPage: string }> {
	const { text = '' } = await parties.received('Ask for approval');
	const [link = ''] = /http\S+$/.exec(text) ?? [];
	const execution = await waitingExecution(id);
	const form = await fetch(link);
	expect(form.status).toBe(200);
	const body = new FormData();
	body.append('field-1', JSON.stringify([decision]));
	body.append('field-2', 'Ada');
	const { origin } = new URL(link);
	for (const path of ['form-waiting', 'webhook-waiting'])
		for (const signature of ['', `?signature=${'0'.repeat(64)}`])
			for (const more of [{}, { method: 'POST', body }]) {
				const guess = `${origin}/${path}/${execution}${signature}`;
				const { status } = await fetch(guess, more);
				expect({ guess, isRefused: status >= 400 }).toEqual({ guess, isRefused: true });
			}
	expect(await waitingExecution(id)).toBe(execution);
	const answer = await fetch(link, { method: 'POST', body });
	return { form: await form.text(), lastPage: textOf(await answer.text()) };
}

/** What a last page says, without its heading, in the channel's words: the page has “” for its backticks. */
export function textOf(lastPage: string): string {
	if (lastPage.startsWith('{')) return JSON.parse(lastPage).formSubmittedText;
	expect(lastPage).not.toContain('Form Submitted');
	const [, text = ''] = /<p>(.*)<\/p>/s.exec(lastPage) ?? [];
	return text
		.replace(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))
		.replaceAll('\u200b', '')
		.replace(/[“”]/g, '`');
}

/** How many requests of an operation the service got in this test. */
export const requests = async (operation: string) => await environment.sandbox.count(operation);

/** `null`: the currency isn't listed. */
export async function setBalance(cents: string | null): Promise<void> {
	const { sandbox, teamId } = environment;
	const balance = { nanoid: teamId, currency: 'USD', balance_cents: cents };
	await sandbox.control('POST', 'balances', balance);
}

export const deposit = { destination_amount_cents: 125_000, destination_currency: 'USD' };
