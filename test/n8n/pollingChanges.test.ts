import type { IDataObject } from 'n8n-workflow';

import { Randomness } from '../../sandbox/randomness';
import { useActionSandbox, type ActionSandbox } from '../support/actionSandbox';
import { PollHost } from '../support/pollHost';
import { runs } from '../support/propertyRuns';

jest.setTimeout(600_000);

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
const EXPECTED: Readonly<Record<string, (before: Notes, now: Notes) => Told>> = {
	balanceChanged: (before, now) =>
		[...now.balances]
			.filter(([currency, cents]) => (before.balances.get(currency) ?? 0n) !== cents)
			.map(([currency, cents]) => `${currency} ${before.balances.get(currency) ?? 0n} ${cents}`),
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

	private oneOf<Value>(values: readonly Value[]): Value {
		const value = values[this.chance.below(values.length)];
		if (value === undefined) throw new Error('There is nothing to choose from');
		return value;
	}

	private cents(): bigint {
		return BigInt(this.chance.below(1_000));
	}
}

const sandbox = useActionSandbox();

describe.each(Object.entries(EXPECTED))('%s', (event, expected) => {
	it.each(Array.from({ length: runs(1) }, (_, seed) => seed))(
		'tells each change once over 500 changes, failures and restarts (seed %i)',
		async (seed) => {
			const chance = new Randomness(`polling ${event} ${seed}`);
			const life = new Life(sandbox, chance);
			const { nanoid } = life.team;
			const parameters = { event, entityId: nanoid, teamId: nanoid };
			const n8n = new PollHost(sandbox.credentials(), parameters);
			await n8n.activate('activate');
			let before = life.notes();
			let [failures, restarts, told] = [0, 0, 0];
			for (let poll = 0; poll < POLLS; poll++) {
				for (let count = 0; count < CHANGES_PER_POLL; count++) life.change();
				if (chance.below(4) === 0) {
					sandbox.service.faults.plan({ kind: 'status', status: 500 });
					await n8n.tick();
					failures += 1;
					expect(n8n.failures).toHaveLength(failures);
					expect(n8n.take()).toEqual([]);
				}
				if (chance.below(4) === 0) {
					await n8n.restart();
					restarts += 1;
				} else {
					await n8n.tick();
				}
				const now = life.notes();
				const lines = n8n.take().map(lineOf);
				expect([...lines].sort()).toEqual([...expected(before, now)].sort());
				told += lines.length;
				before = now;
			}
			expect(life.made).toBe(POLLS * CHANGES_PER_POLL);
			expect(n8n.failures).toHaveLength(failures);
			expect([failures > 3, restarts > 3, told > 30]).toEqual([true, true, true]);
		},
	);
});
