import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Randomness } from '../../sandbox/randomness';
import { useActionSandbox, type ActionSandbox } from '../support/actionSandbox';
import { PollHost, SavedWorkflow } from '../support/pollHost';
import { runs } from '../support/propertyRuns';

/* Hundreds of polls, on a machine that may be busy. */
jest.setTimeout(600_000);

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

const POLLS = 50;
const CHANGES_PER_POLL = 10;

/** What a person who looks at the service would write down: the judge knows nothing of the node. */
interface Notes {
	readonly balances: ReadonlyMap<string, bigint>;
	readonly users: ReadonlyMap<string, string>;
	readonly invites: ReadonlySet<string>;
}

type Told = readonly string[];

/** What each event must tell between two looks, as sorted lines. */
const EXPECTED: Readonly<Record<string, (before: Notes, now: Notes, of?: string) => Told>> = {
	balanceChanged: (before, now, of = '') =>
		[...now.balances]
			.filter(([currency, cents]) => (before.balances.get(currency) ?? 0n) !== cents)
			.map(([currency, cents]) => `${currency} ${before.balances.get(currency) ?? 0n} ${cents}`)
			.filter((line) => line.startsWith(of)),
	teamUserAdded: ({ users }, now) => [...now.users.keys()].filter((id) => !users.has(id)),
	teamUserChanged: ({ users }, now) =>
		[...now.users]
			.filter(([id, state]) => users.has(id) && users.get(id) !== state)
			.map(([id, state]) => `${id} ${users.get(id)} ${state}`),
	inviteAdded: ({ invites }, now) => [...now.invites].filter((id) => !invites.has(id)),
	inviteEnded: ({ invites }, now) => [...invites].filter((id) => !now.invites.has(id)),
};

/** An item as such a line. */
function lineOf(item: IDataObject): string {
	const { event, nanoid, currency, previous, role, payable } = item;
	if (event === 'balanceChanged') {
		return `${String(currency)} ${String(item.previous_balance_cents)} ${String(item.balance_cents)}`;
	}
	if (event !== 'teamUserChanged') return String(nanoid);
	const had = { role, payable, ...(typeof previous === 'object' ? previous : {}) };
	return `${String(nanoid)} ${had.role}/${had.payable} ${String(role)}/${String(payable)}`;
}

/** One organization, and the changes that other people make to it. */
class Life {
	private readonly left: string[] = [];
	made = 0;

	constructor(
		private readonly sandbox: ActionSandbox,
		private readonly chance: Randomness,
	) {}

	get team() {
		return this.sandbox.firstTeam;
	}

	notes(): Notes {
		const { balances, users, invites } = this.team;
		return {
			balances: new Map(balances),
			users: new Map(users.map(({ nanoid, role, payable }) => [nanoid, `${role}/${payable}`])),
			invites: new Set(invites.map(({ nanoid }) => nanoid)),
		};
	}

	change(): void {
		const { organisation } = this.sandbox;
		const { users, invites, balances } = this.team;
		const user = this.oneOf(users);
		const acts: ReadonlyArray<() => void> = [
			() => balances.set(this.chance.pick(['USD', 'EUR', 'JPY', 'SGD']), this.cents()),
			() => organisation.addUser(this.team),
			() => {
				organisation.removeUser(user.nanoid);
				this.left.push(user.nanoid);
			},
			() => {
				const nanoid = this.left.shift();
				if (nanoid !== undefined) organisation.restoreUser(nanoid);
			},
			() => organisation.changeUser(user.nanoid, { payable: !user.payable }),
			() => organisation.changeUser(user.nanoid, { role: this.chance.pick(['a', 'b', 'c']) }),
			() => {
				const invite = {
					nanoid: organisation.randomness.identifier('in'),
					role: null,
					invitee_name: 'Somebody',
					email: `person-${this.made}@example.com`,
					inviter_name: 'Somebody else',
					inviter_email: 'somebody@example.com',
				};
				invites.push(invite);
			},
			() => {
				const [first] = invites;
				if (first !== undefined) organisation.endInvite(first.nanoid, this.chance.below(2) === 0);
			},
		];
		this.oneOf(acts)();
		this.made += 1;
	}

	oneOf<Value>(values: readonly Value[]): Value {
		const value = values[this.chance.below(values.length)];
		if (value === undefined) throw new Error('There is nothing to choose from');
		return value;
	}

	private cents(): bigint {
		return BigInt(this.chance.below(1_000));
	}
}

/** A trigger for each event, and one more for one currency, which must not mix. */
const SIX: ReadonlyArray<{ readonly event: string; readonly currencies?: string[] }> = [
	...Object.keys(EXPECTED).map((event) => ({ event })),
	{ event: 'balanceChanged', currencies: ['EUR'] },
];

describe.each([
	['n8n', false],
	['n8n’s poll scheduler', true],
])('six triggers in one workflow, polled by %s', (_who, isScheduled) => {
	it.each(Array.from({ length: runs(1) }, (_, seed) => seed))(
		'tell each of 500 changes once, with edits of each, failures and restarts between (seed %i)',
		async (seed) => {
			const chance = new Randomness(`six triggers ${seed}`);
			const life = new Life(sandbox, chance);
			const triggers = workflowOf(SIX, isScheduled);
			for (const trigger of triggers) await trigger.activate('activate');
			let before = life.notes();
			let [edits, failures, restarts] = [0, 0, 0];
			const told = SIX.map(() => 0);
			for (let poll = 0; poll < POLLS; poll++) {
				for (let count = 0; count < CHANGES_PER_POLL; count++) life.change();
				const trigger = life.oneOf(triggers);
				if (chance.below(3) === 0) {
					sandbox.service.faults.plan({ kind: 'status', status: 500 });
					await trigger.tick();
					failures += 1;
					expect(triggers.flatMap((each) => each.failures)).toHaveLength(failures);
					expect(trigger.take()).toEqual([]);
				}
				const what = chance.below(4);
				if (what === 0) {
					/* Another poll time: n8n publishes this trigger again. */
					await trigger.activate('update');
					edits += 1;
				} else if (what === 1) {
					await trigger.restart();
					restarts += 1;
				}
				for (const each of [...triggers].sort(() => chance.below(3) - 1)) await each.tick();
				const now = life.notes();
				for (const [index, { event, currencies }] of SIX.entries()) {
					const lines = triggers[index]?.take().map(lineOf) ?? [];
					const expected = EXPECTED[event]?.(before, now, currencies?.[0]) ?? [];
					expect([event, ...lines.sort()]).toEqual([event, ...[...expected].sort()]);
					told[index] = (told[index] ?? 0) + lines.length;
				}
				before = now;
			}
			expect(life.made).toBe(POLLS * CHANGES_PER_POLL);
			expect(triggers.flatMap((each) => each.failures)).toHaveLength(failures);
			expect([edits > 7, failures > 7, restarts > 7]).toEqual([true, true, true]);
			expect(told.filter((count, index) => count <= (index < 5 ? 30 : 10))).toEqual([]);
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

it.each([0, 1])(
	'goes on when n8n loads an updated package under it, after %i results that n8n threw away',
	async (drops) => {
		const trigger = await switchedOn();
		trigger.drops = drops;
		const { nanoid } = organisation().addUser(team());
		if (drops > 0) await trigger.tick();
		/* n8n loads the package’s modules again, and keeps the trigger’s context (directory-loader.js). */
		jest.resetModules();
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
