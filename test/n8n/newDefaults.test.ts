import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useActionSandbox } from '../support/actionSandbox';

/*
 * n8n saves only values that differ from the default. Nodes that leave a parameter out therefore show
 * what the default of their version does.
 */

const sandbox = useActionSandbox();

const FIRST = { typeVersion: 1 };
const TODAY = { typeVersion: 1.1 };

/** Why a node doesn't run: n8n itself refuses it if a required field is empty. */
async function refusalOf(...run: Parameters<typeof sandbox.run>): Promise<string | undefined> {
	return await sandbox.run(...run).then(
		({ error }) => error?.message,
		(error: unknown) => String(error),
	);
}

describe('Name Review: Resolve without a decision', () => {
	function review(change: INodeParameters = {}): INodeParameters {
		const [found] = sandbox.sandbox.service.organisation.teams[0]?.nameReviews ?? [];
		if (found === undefined) throw new Error('The sandbox has no name review.');
		const [userId, { reviewVersion }] = found;
		return {
			resource: 'nameReview',
			operation: 'resolve',
			teamId: sandbox.team,
			userId: { __rl: true, mode: 'id', value: userId },
			reviewVersion,
			...change,
		};
	}

	it('approves in a node of version 1, as it did when it was saved', async () => {
		const { error } = await sandbox.run(review(), { node: FIRST });
		expect(error).toBeUndefined();
		expect(sandbox.writes().map(({ body }) => body)).toEqual([
			{ review_version: expect.any(String), action: 'approve' },
		]);
	});

	it.each([{}, { decision: '' }, { decision: '={{ "" }}' }, { decision: '={{ $json.missing }}' }])(
		'is refused in a new node, naming the field: %j',
		async (change: INodeParameters) => {
			expect(await refusalOf(review(change), { node: TODAY })).toContain('Decision');
			expect(sandbox.wire()).toEqual([]);
		},
	);

	it('makes the decision that was chosen in a new node', async () => {
		const { error } = await sandbox.run(review({ decision: 'cancel' }), { node: TODAY });
		expect(error).toBeUndefined();
		expect(sandbox.writes()).toMatchObject([{ body: { action: 'cancel' } }]);
	});
});

describe('Administrator Invite: Execute right after Create', () => {
	const EXECUTE = { resource: 'administratorInvite', operation: 'execute' };

	async function created(): Promise<IDataObject[]> {
		const { output } = await sandbox.run({
			resource: 'administratorInvite',
			operation: 'create',
			entityId: sandbox.team,
			role: 'team_viewer',
			emails: 'one@example.com, two@example.com',
		});
		return output.map(({ json }) => json);
	}

	it('needs nothing filled in for a new node', async () => {
		const items = await created();
		const { error, output } = await sandbox.run(EXECUTE, { node: TODAY, items });
		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
		expect(sandbox.writes().at(-1)).toMatchObject({
			method: 'PUT',
			body: { invites: items[0]?.invites, typed_data: { from: sandbox.wallet().address } },
		});
	});

	it.each([
		['saved empty with version 1', FIRST, {}, 'Invite IDs'],
		['whose Invite IDs were cleared', TODAY, { inviteIds: '' }, 'Invite IDs'],
		['whose Typed Data was cleared', TODAY, { typedData: '' }, 'Typed Data'],
		['that follows another node', TODAY, {}, 'Invite IDs'],
	])('signs nothing for a node %s', async (what, node, cleared: INodeParameters, label) => {
		const items = what.startsWith('that follows') ? [{ id: 1 }] : await created();
		const before = sandbox.writes().length;
		expect(await refusalOf({ ...EXECUTE, ...cleared }, { node, items })).toContain(label);
		expect(sandbox.writes()).toHaveLength(before);
	});
});
