import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CATALOGUE } from '../../nodes/PayrollPayments/actions/catalogue';
import { runNode, type RunResult } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { previewOf, validated } from '../support/outputSchemas';

/*
 * The hosts validate every item that any test makes a node put out against its output schema. These
 * tests make sure that every operation, output mode and kind of item occurs, and that the editor's
 * preview names what the sandbox, which shares no code with the node, really sends.
 */

const sandbox = useActionSandbox();

async function administrators(change: INodeParameters = {}): Promise<INodeParameters> {
	return {
		entityId: sandbox.team,
		role: 'team_viewer',
		emails: 'one@example.com, two@example.com',
		...change,
	};
}

async function firstItem(parameters: INodeParameters): Promise<IDataObject> {
	const { output, error } = await sandbox.run(parameters);
	if (output[0] === undefined) throw new Error(error?.message ?? 'no output');
	return output[0].json;
}

const invitation = (change: INodeParameters): INodeParameters => ({
	teamId: sandbox.team,
	role: 'contractor',
	inviteesSource: 'json',
	inviteesJson: '[{ "email": "ana@example.com" }]',
	...change,
});

/** Parameters that each operation succeeds with, one set for each output mode, the default first. */
const MODES: Readonly<Record<string, ReadonlyArray<() => Promise<INodeParameters>>>> = {
	'administratorInvite.create': [administrators],
	'administratorInvite.send': [administrators],
	'administratorInvite.complete': [
		async () => {
			const invited = { resource: 'administratorInvite', operation: 'create' };
			const created = await firstItem({ ...invited, ...(await administrators()) });
			return {
				inviteIds: JSON.stringify(created.invites).replace(/[[\]"]/g, ''),
				typedData: JSON.stringify(created.typed_data),
				role: 'team_viewer',
				signatureSource: 'wallet',
			};
		},
	],
	'authentication.getSignInMessage': [async () => ({})],
	'authentication.verify': [
		async () => {
			const asked = { resource: 'authentication', operation: 'getSignInMessage' };
			const message = String((await firstItem(asked)).siwe);
			return { message, signature: await sandbox.wallet().signMessage(message) };
		},
	],
	'balance.get': [
		async () => ({ entityId: sandbox.team, output: 'perCurrency' }),
		async () => ({ entityId: sandbox.team, output: 'asReceived' }),
	],
	'invite.create': [
		async () => invitation({}),
		async () => invitation({ existingPeople: 'invite' }),
	],
	'invite.getAll': [async () => ({ entityId: sandbox.team, returnAll: true })],
	'nameReview.update': [
		async () => {
			const team = sandbox.sandbox.service.organisation.teams[0];
			const [[userId = '', review] = []] = [...(team?.nameReviews ?? [])];
			return {
				teamId: sandbox.team,
				userId: { __rl: true, mode: 'id', value: userId },
				decision: 'approve',
				reviewVersion: String(review?.reviewVersion),
			};
		},
	],
	'payment.create': [
		async () => await sandbox.payment(),
		async () => await sandbox.payment({ options: { ifAlreadyPaid: 'skip', checkOutput: 'run' } }),
	],
	'teamUser.getAll': [
		async () => ({ teamId: sandbox.team, returnAll: true }),
		async () => ({ teamId: sandbox.team, returnAll: true, simplify: false }),
	],
	'webhook.send': [
		async () => ({
			webhookId: String(Object(await sandbox.control('GET', 'organisation')).webhook),
			eventType: 'deposit.received',
		}),
	],
};

/** Fields that only some items have. */
const OCCASIONAL: Readonly<Record<string, readonly string[]>> = {
	'payment.create': ['already_sent'],
};

function failing(parameters: INodeParameters): Promise<RunResult> {
	return runNode(sandbox.credentials({ baseUrl: 'http://127.0.0.1:1' }), parameters, {
		node: { onError: 'continueRegularOutput' },
	});
}

describe.each(CATALOGUE.map((each) => [`${each.resource}.${each.operation}`, each] as const))(
	'%s',
	(pair, { resource, operation, effect }) => {
		const file = `v1.0.0/${resource}/${operation}.json`;

		it('shows in the editor the fields that it puts out by default', async () => {
			const names = new Set<string>();
			const [usual] = MODES[pair] ?? [];
			const { output, error } = await sandbox.run({ resource, operation, ...(await usual?.()) });
			expect(error).toBeUndefined();
			expect(output.length).toBeGreaterThan(0);
			for (const { json } of output) for (const name of Object.keys(json)) names.add(name);
			expect([...names, ...(OCCASIONAL[pair] ?? [])].sort()).toEqual(previewOf(file).sort());
		});

		it('suits its schema in every mode, when checked and when it fails', async () => {
			for (const mode of MODES[pair] ?? []) {
				const parameters: INodeParameters = { resource, operation, ...(await mode()) };
				if (effect === 'write') {
					const options = { ...Object(parameters.options), checkOnly: true };
					await sandbox.run({ ...parameters, options });
				}
				const { output } = await failing(parameters);
				expect(output.map(({ json }) => typeof json.error)).toEqual(['string']);
				await sandbox.run(parameters);
				await sandbox.reset();
			}
			const kinds = effect === 'write' ? ['check', 'failure', 'output'] : ['failure', 'output'];
			const seen = [...validated].filter((each) => each.startsWith(`${file} `)).sort();
			expect(seen).toEqual(kinds.map((kind) => `${file} ${kind}`));
		});
	},
);
