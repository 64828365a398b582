/*
 * How n8n runs a node when nobody built a workflow around it: its assistant, evaluations and chats.
 * test/e2e/hostLimits.test.ts sees that n8n runs it so.
 */
import type { INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { CONTINUE, processedKeys } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { formFor } from '../support/sandboxForms';

const sandbox = useActionSandbox();
type Options = NonNullable<Parameters<typeof sandbox.run>[1]>;

const TOOL = { node: { type: 'payrollPaymentsTool' } };
/* A workflow that n8n keeps in memory only has no ID; a chat's is deleted after each message. */
const WITHOUT_ID = { host: { id: '', mode: 'internal' } } as const;
const CHAT = { host: { mode: 'chat' } } as const;

const nameOf = ({ resource, operation }: (typeof CATALOGUE)[number]) => `${resource}.${operation}`;
const named = (effect: 'read' | 'write') =>
	CATALOGUE.filter((each) => each.effect === effect).map(nameOf);
const WRITES = named('write');
/** Those that an AI agent may have leave for. */
const TOOL_WRITES = WRITES.filter((name) => name !== 'authentication.verify');

async function prepared(name: string, change: INodeParameters = {}): Promise<INodeParameters> {
	const parameters = { ...(await formFor(sandbox, name)), ...change };
	sandbox.service.wireLog.clear();
	return parameters;
}

/** That a run was refused, before anything was asked of the service or recorded. */
async function expectRefused(parameters: INodeParameters, options: Options, reason: string) {
	const { error, output } = await sandbox.run(parameters, options);
	expect(error?.message).toMatch(/^“.*” was refused because /);
	expect(error?.message).toContain(reason);
	expect(error?.description).toContain('Check Only');
	expect(output).toEqual([]);
	expect(sandbox.wire()).toEqual([]);
	expect(processedKeys.entries()).toEqual([]);
}

/** That a run was refused, and only a check of it is made. */
async function expectOnlyChecked(parameters: INodeParameters, options: Options, reason: string) {
	await expectRefused(parameters, options, reason);
	const checking = { ...Object(parameters.options), checkOnly: true };
	const { output } = await sandbox.run({ ...parameters, options: checking }, options);
	expect(output[0]?.json).toHaveProperty('check', 'passed');
}

describe.each<[string, Options, string]>([
	[
		'a node that runs alone',
		{ isAlone: true },
		'nothing is connected before this node. Connect this node to a trigger [item 0]',
	],
	[
		'an evaluation',
		{ host: { mode: 'evaluation' } },
		'this is an evaluation, in which n8n may make up what the service answers [item 0]',
	],
])('%s', (_where, host, reason) => {
	it.each(WRITES)('doesn’t carry out %s, but checks it', async (name) => {
		await expectOnlyChecked(await prepared(name), host, reason);
	});

	it.each(TOOL_WRITES)('doesn’t carry out %s as a tool with leave', async (name) => {
		const parameters = await prepared(name, { allowToolWrites: true });
		await expectRefused(parameters, { ...host, ...TOOL }, reason);
	});

	it('puts out that nothing was paid, with On Error: Continue', async () => {
		const parameters = await prepared('payment.create');
		const { output } = await sandbox.run(parameters, { ...host, ...CONTINUE });
		expect(output).toMatchObject([{ json: { outcome: 'refused', transaction: null } }]);
		expect(sandbox.wire()).toEqual([]);
	});

	it.each(named('read'))('carries out %s', async (name) => {
		expect((await sandbox.run(await prepared(name), host)).error).toBeUndefined();
	});
});

describe('a workflow that n8n doesn’t keep', () => {
	const reason = 'n8n doesn’t keep this workflow, so no record of the payment would last [item 0]';

	it.each([CHAT, WITHOUT_ID])('pays nothing, but checks: %j', async (host) => {
		const parameters = await prepared('payment.create', { allowToolWrites: true });
		await expectRefused(parameters, { ...host, ...TOOL }, reason);
		await expectOnlyChecked(parameters, host, reason);
	});

	it.each([CHAT, WITHOUT_ID])('makes other changes: %j', async (host) => {
		const { error } = await sandbox.run(await prepared('invite.create'), host);
		expect(error).toBeUndefined();
		expect(sandbox.writes()).toHaveLength(1);
	});
});
