import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Randomness } from '../../sandbox/randomness';
import { useActionSandbox } from '../support/actionSandbox';
import { PollHost, SavedWorkflow } from '../support/pollHost';
import { runs } from '../support/propertyRuns';

/* Hundreds of polls, on a machine that may be busy. */
jest.setTimeout(300_000);

const sandbox = useActionSandbox();
const organisation = () => sandbox.organisation;
const team = () => sandbox.firstTeam;

/** A workflow with several polling triggers, each of which n8n publishes separately. */
function workflowOf(parameters: readonly INodeParameters[], isScheduled = false): PollHost[] {
	const workflow = new SavedWorkflow();
	const credentials = sandbox.credentials();
	const { nanoid } = team();
	return parameters.map((each, index) => {
		const trigger = new PollHost(
			credentials,
			{ entityId: nanoid, teamId: nanoid, ...each },
			{ id: `id-${index}`, name: `Poll ${index}` },
			workflow,
		);
		trigger.isScheduled = isScheduled;
		return trigger;
	});
}

const THREE = [
	{ event: 'balanceChanged', currencies: ['USD'] },
	{ event: 'teamUserAdded' },
	{ event: 'balanceChanged', currencies: ['EUR'] },
];

/** What an item tells, as one word. */
const wordOf = ({ nanoid, currency, balance_cents: cents }: IDataObject) =>
	nanoid === undefined ? `${String(currency)} ${String(cents)}` : String(nanoid);

describe.each([
	['n8n', false],
	['n8n’s poll scheduler', true],
])('three triggers in one workflow, polled by %s', (_who, isScheduled) => {
	it.each(Array.from({ length: runs(1) }, (_, seed) => seed))(
		'tell each of 100 changes once, with edits of each and restarts between (seed %i)',
		async (seed) => {
			const chance = new Randomness(`three triggers ${seed}`);
			const triggers = workflowOf(THREE, isScheduled);
			for (const trigger of triggers) await trigger.activate('activate');
			const made: string[] = [];
			const told: string[] = [];
			let [edits, restarts] = [0, 0];
			const change = () => {
				const kind = chance.below(3);
				const cents = made.length + 1_000;
				if (kind === 0) made.push(organisation().addUser(team()).nanoid);
				else {
					const currency = kind === 1 ? 'USD' : 'EUR';
					team().balances.set(currency, BigInt(cents));
					made.push(`${currency} ${cents}`);
				}
			};
			while (made.length < 100) {
				change();
				const what = chance.below(4);
				const trigger = triggers[chance.below(3)];
				if (what === 0) {
					/* Another poll time: n8n publishes this trigger again. */
					await trigger?.activate('update');
					edits += 1;
				} else if (what === 1) {
					await triggers[0]?.restart();
					restarts += 1;
				}
				for (const each of [...triggers].sort(() => chance.below(3) - 1)) await each.tick();
				for (const each of triggers) told.push(...each.take().map(wordOf));
			}
			expect(triggers.flatMap(({ failures }) => failures)).toEqual([]);
			expect(told).toEqual(made);
			expect([edits > 15, restarts > 15]).toEqual([true, true]);
		},
	);
});

/** A trigger that is switched on by itself, for users who are added. */
async function switchedOn(isScheduled = false): Promise<PollHost> {
	const [trigger] = workflowOf([{ event: 'teamUserAdded' }], isScheduled);
	if (trigger === undefined) throw new Error('no trigger');
	await trigger.activate('activate');
	return trigger;
}

it('tells a change once although the scheduler polls several times at once after a restart', async () => {
	const trigger = await switchedOn(true);
	const { nanoid } = organisation().addUser(team());
	await trigger.restart();
	await Promise.all([1, 2, 3, 4].map(async () => await trigger.tick()));
	await trigger.tick();
	expect(trigger.take()).toMatchObject([{ nanoid }]);
});

it('tells a change that n8n threw away because the trigger was published again meanwhile', async () => {
	const trigger = await switchedOn();
	const { nanoid } = organisation().addUser(team());
	sandbox.service.faults.plan({ match: { path: 'users' }, kind: 'latency', delay: 300 });
	const discarded = trigger.tick();
	await trigger.activate('update');
	await discarded;
	await trigger.tick();
	expect(trigger.take()).toMatchObject([{ nanoid }]);
});

it.each([1, 2, 5])(
	'tells each change once after n8n threw away %i results in a row and kept the trigger',
	async (drops) => {
		const trigger = await switchedOn();
		trigger.drops = drops;
		const added = [];
		for (let poll = 0; poll <= drops; poll++) {
			added.push({ nanoid: organisation().addUser(team()).nanoid });
			await trigger.tick();
		}
		expect(trigger.take()).toMatchObject(added);
		const { nanoid } = organisation().addUser(team());
		await trigger.tick();
		expect(trigger.take()).toMatchObject([{ nanoid }]);
	},
);

it('goes on when the trigger was renamed', async () => {
	const trigger = await switchedOn();
	const { nanoid } = organisation().addUser(team());
	trigger.changes = { ...trigger.changes, name: 'Renamed' };
	await trigger.activate('update');
	expect(trigger.take()).toMatchObject([{ nanoid }]);
});

it('keeps what 50 triggers remember, and forgets those that were deleted first', async () => {
	const triggers = workflowOf(Array.from({ length: 52 }, () => ({ event: 'inviteAdded' })));
	for (const trigger of triggers) await trigger.activate('activate');
	const saved = triggers[0]?.saved ?? '';
	expect(saved.match(/id-\d+/g)).toHaveLength(50);
	expect(saved).not.toContain('id-1"');
	expect(saved).toContain('id-51"');
});
