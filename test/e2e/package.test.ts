import { NodeHelpers, setSafeRegexEngine, type INodeTypeDescription } from 'n8n-workflow';

import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { outputSchemas } from '../../tooling/outputSchemas';
import { EXAMPLES, readExample } from '../../practice/exampleFiles';
import { outputOf } from '../../n8nHost/executions';
import { startHttpServer } from '../support/httpServer';
import { pollingTrigger } from '../support/pollingWorkflow';
import { shareTestEnvironment } from '../../n8nHost/testEnvironment';
import { activationError, saveTriggerWorkflow } from '../support/triggerWorkflow';
import { useEnvironment } from '../support/useEnvironment';
import { action, chain, node, START, wait } from '../../n8nHost/workflows';

const environment = useEnvironment(shareTestEnvironment);

interface Description {
	readonly name: string;
	readonly displayName: string;
	readonly iconUrl?: unknown;
}

/** All types that n8n knows. They are 20 megabytes, so they are fetched once. */
let credentialTypes: readonly Description[];
let nodeTypes: readonly INodeTypeDescription[];

/** n8n's own engine gives an expression 250 ms, which may pass while the machine stands still. */
const UNTIMED: Parameters<typeof setSafeRegexEngine>[0] = {
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, by) => input.replace(new RegExp(pattern, flags), by),
	matchAll: (pattern, input, flags = '') => [...input.matchAll(new RegExp(pattern, `g${flags}`))],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
};

beforeAll(async () => {
	setSafeRegexEngine(UNTIMED);
	const { n8n } = environment;
	credentialTypes = await n8n.request('GET', '/types/credentials.json');
	nodeTypes = await n8n.request('GET', '/types/nodes.json');
});

const ICONS = {
	light: 'icons/n8n-nodes-payroll-payments/dist/icons/payrollPayments.svg',
	dark: 'icons/n8n-nodes-payroll-payments/dist/icons/payrollPayments.dark.svg',
};

describe('the packed package in a real n8n', () => {
	it('brings its nodes and credentials', () => {
		const all: readonly Description[] = [...credentialTypes, ...nodeTypes];
		const ours = all.filter(({ name }) => name.includes('payrollPayments'));
		expect(Object.fromEntries(ours.map(({ name, displayName }) => [name, displayName]))).toEqual({
			'n8n-nodes-payroll-payments.payrollPayments': 'Payroll Payments',
			'n8n-nodes-payroll-payments.payrollPaymentsPollingTrigger':
				'Payroll Payments Polling Trigger',
			'n8n-nodes-payroll-payments.payrollPaymentsTool': 'Payroll Payments Tool',
			'n8n-nodes-payroll-payments.payrollPaymentsTrigger': 'Payroll Payments Trigger',
			payrollPaymentsApi: 'Payroll Payments API',
			payrollPaymentsWebhookApi: 'Payroll Payments Webhook API',
		});
		expect(ours.map(({ iconUrl }) => iconUrl)).toEqual(ours.map(() => ICONS));
	});

	it('serves the icons', async () => {
		for (const icon of Object.values(ICONS)) {
			const response = await fetch(`${environment.n8n.url}/${icon}`);
			expect(response.status).toBe(200);
			expect(await response.text()).toContain('<svg');
		}
	});

	it('serves the output schema of every operation and of the trigger', async () => {
		const generated = Object.entries(outputSchemas());
		expect(generated).toHaveLength(CATALOGUE.length + 1);
		for (const [file, schema] of generated) {
			const [, version, operation] = /^v(1)(?:\.0)+(.+)$/.exec(file) ?? [];
			const type = operation === '.json' ? 'payrollPaymentsTrigger' : 'payrollPayments';
			const route = `/schemas/n8n-nodes-payroll-payments.${type}/${version}${operation}`;
			const response = await fetch(`${environment.n8n.url}${route}`);
			expect([route, response.status]).toEqual([route, 200]);
			expect(await response.json()).toEqual(schema);
		}
	});

	it('tells n8n that the token of Authentication: Verify is sensitive', () => {
		const type = 'n8n-nodes-payroll-payments.payrollPayments';
		expect(nodeTypes.find(({ name }) => name === type)?.sensitiveOutputFields).toEqual(['jwt']);
	});

	/** The balance by the action node, and by n8n's HTTP Request node. */
	const byAction = () =>
		action('Balance', { resource: 'balance', operation: 'get', entityId: environment.teamId });
	const byRequest = () => {
		const type = 'payrollPaymentsApi';
		const url = `${environment.sandbox.url}/v2/balance?nanoid=${environment.teamId}`;
		const signedIn = { authentication: 'predefinedCredentialType', nodeCredentialType: type };
		return node(
			'Balance',
			'n8n-nodes-base.httpRequest',
			{ method: 'GET', url, ...signedIn, options: {} },
			{ typeVersion: 4.5, credentials: { [type]: { id: null, name: '' } } },
		);
	};

	it.each([
		['its node', byAction],
		['n8n’s HTTP Request node', byRequest],
	])('signs in again for %s after the token has expired, and goes on', async (name, balance) => {
		const { n8n, sandbox, api } = environment;
		const { id } = await n8n.saveWorkflow(chain(`Renewal for ${name}`, [START, balance()]), [api]);
		expect((await n8n.runWorkflow(id)).error).toBeUndefined();
		await sandbox.control('POST', 'tokens/expire');
		await sandbox.control('DELETE', 'log');
		for (let time = 0; time < 2; time++) {
			const execution = await n8n.runWorkflow(id);
			expect(execution.error).toBeUndefined();
			expect(JSON.stringify(outputOf(execution, 'Balance'))).toContain('platform_account_address');
		}
		type Log = { entries: { path: string; status: number }[] };
		const { entries } = await sandbox.control<Log>('GET', 'log');
		expect(entries.map(({ path, status }) => `${path} ${status}`)).toEqual([
			'/v2/balance 401',
			'/v2/auth/siwe 200',
			'/v2/auth/verify 200',
			'/v2/balance 200',
			'/v2/balance 200',
		]);
	});

	it('doesn’t send the token of n8n’s HTTP Request node along a redirect', async () => {
		const { n8n, sandbox, api } = environment;
		const received: unknown[] = [];
		const other = await startHttpServer((request) => received.push(request));
		const always = { times: 'always', match: { path: '^/v2/balance$' } };
		const location = `${other.url}/v2/balance`;
		await sandbox.control('POST', 'faults', { kind: 'redirect', location, ...always });
		const { id } = await n8n.saveWorkflow(chain('Redirected', [START, byRequest()]), [api]);
		const { error } = await n8n.runWorkflow(id);
		await sandbox.control('DELETE', 'faults');
		expect(error).toBeDefined();
		expect(received).toEqual([]);
	});

	it('says why a trigger can’t be published', async () => {
		const { n8n, api } = environment;
		const unknown = pollingTrigger({ event: 'teamUserAdded', teamId: 'te-000000000000' });
		const polling = await n8n.saveWorkflow(chain('Unknown team', [unknown]), [api]);
		const pausing = await saveTriggerWorkflow(n8n, {
			parameters: { options: { acknowledge: 'finished' } },
			after: wait('After', 2, 'hours'),
		});
		const ids = [polling.id, pausing.workflowId];
		/* n8n tries for 15 seconds. */
		const errors = ids.map(async (id) => await activationError(environment, id));
		expect(await Promise.all(errors)).toEqual([
			expect.stringContaining('The service refused: te-000000000000 does not exist'),
			expect.stringContaining(
				'Acknowledge can’t be “When Finished” because the node “After” pauses the workflow',
			),
		]);
		for (const id of ids) await n8n.deactivate(id);
	});

	it.each(EXAMPLES)('the example %s has nodes that n8n knows, unwarned', (name) => {
		const { nodes } = readExample(name, environment.teamId);
		const warnings = nodes.map((each): unknown => {
			const { type, typeVersion, parameters: saved } = each;
			const found = nodeTypes.find(
				({ name, version }) => name === type && [version].flat().includes(typeVersion),
			);
			if (found === undefined) return `${type} ${typeVersion}`;
			const { properties } = found;
			/* With the defaults, which n8n doesn't save. */
			const of = [properties, Object(saved), true, false, Object(each), found] as const;
			const shown = { ...Object(each), parameters: NodeHelpers.getNodeParameters(...of) };
			return NodeHelpers.getNodeParametersIssues(properties, shown, found);
		});
		expect(warnings).toEqual(nodes.map(() => null));
	});
});
