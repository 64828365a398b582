import { createHash } from 'node:crypto';

import { credentialLabel } from '../api/limits';
import type { ServiceCredentials } from '../api/credentials';
import { messageOf, UserError } from '../shared/errors';
import { canonicalJson } from '../shared/json';
import { centsAsDollars } from '../shared/money';
import type { OutputRecord, Signs, WritePlan } from './write';
import type { Job, Plan } from './plan';

/** Crockford's Base32: no letters that are read as others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Characters of an approval, in groups of four. */
const LENGTH = 16;

/** What all writes of a run have in common. */
export interface Approvable {
	readonly operation: string;
	readonly baseUrl: string;
}

/**
 * The approval over some writes, in their order: method, path, body, what is signed and a payment's
 * reference, without the columns of the report. The same writes in another run have the same one.
 */
export function approvalOf(
	{ operation, baseUrl }: Approvable,
	writes: readonly WritePlan[],
): string {
	const covered = writes.map(({ request, signs, reference = null }) => {
		const { method = null, path = null, body = null } = request ?? {};
		return [operation, baseUrl, method, path, body, signs, reference];
	});
	const hash = createHash('sha256').update(canonicalJson(covered)).digest();
	const number = BigInt(`0x${hash.subarray(0, (LENGTH * 5) / 8).toString('hex')}`);
	return number
		.toString(32)
		.padStart(LENGTH, '0')
		.replace(/./g, (digit) => ALPHABET.charAt(parseInt(digit, 32)))
		.replace(/(.{4})(?=.)/g, '$1-');
}

/** An approval as people type it: without hyphens, and with what looks like another letter read as it. */
function typed(approval: string): string {
	return approval.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
}

const shown = ({ domain, primaryType, message }: Signs) => ({ domain, primaryType, message });

/** What *Check Only* puts out for the writes of one job; all have the job's approval. */
export function checkRecords(of: Approvable, writes: readonly WritePlan[]): OutputRecord[] {
	const approval = approvalOf(of, writes);
	return writes.map(({ summary, columns, request, signs }) => ({
		check: 'passed',
		summary,
		approval,
		...columns,
		signs: signs && shown(signs),
		request,
	}));
}

/** What a run is about, for the error that says that it isn't the one that was approved. */
function describeRun(jobs: readonly Job[]): string {
	const amounts = jobs.flatMap(({ cents }) => cents ?? []);
	const { length } = jobs.flatMap(({ writes }) => writes);
	const what = `${length} ${amounts.length > 0 ? 'payment' : 'request'}${length === 1 ? '' : 's'}`;
	const total = amounts.reduce((sum, cents) => sum + BigInt(cents), 0n);
	return `It has ${what}${amounts.length > 0 ? ` of ${centsAsDollars(total)} in all` : ''} now`;
}

function notApproved(what: string, next: string, refusesRun = false): UserError {
	return new UserError(what, {
		hint: `${next} Nothing was signed or sent.`,
		outcome: 'refused',
		page: 'payments.md',
		refusesRun,
	});
}

/**
 * Keeps the jobs whose items name their own approval or, the same for all, that of the run.
 * @param approved what items name as approved
 * @throws {UserError} where the approval is for the run as a whole and doesn't fit it
 */
export function keepApproved(
	of: Approvable,
	plan: Plan,
	credentials: Pick<ServiceCredentials, 'limits' | 'name'>,
	approved: ReadonlyMap<number, string>,
): Plan {
	if (approved.size === 0 && !credentials.limits.requireApproval) return plan;
	const { jobs, refusals } = plan;
	const given = new Map([...approved].map(([item, approval]) => [item, typed(approval)]));
	const isOwn = ({ items, writes }: Job) => {
		const own = typed(approvalOf(of, writes));
		return writes.length === 0 || items.every((item) => given.get(item) === own);
	};
	const kept = new Set(jobs.filter(isOwn));
	const others = jobs.filter((job) => !kept.has(job));
	const ofRun = new Set(given.values());
	if (given.size > 1 && ofRun.size === 1 && others.length > 0) {
		const rows = [...jobs, ...refusals].sort((a, b) => (a.items[0] ?? 0) - (b.items[0] ?? 0));
		const writes = rows.map((row) => row.writes);
		const isWhole = writes.every((each) => each !== undefined);
		if (isWhole && ofRun.has(typed(approvalOf(of, writes.flat())))) return plan;
		if (kept.size > 0) {
			throw notApproved(
				'Approved Check covers only some of the requests of this run',
				'Give each row the approval of its own request, or send one team and role at a time.',
				true,
			);
		}
		const left = refusals.find((row) => row.writes === undefined);
		const why =
			left === undefined
				? `${describeRun(jobs)}. Check it again`
				: `Item ${left.items[0]} was refused: ${messageOf(left.error)}. Correct it or leave it out, check the run again`;
		throw notApproved(
			'This run isn’t the one that was approved',
			`${why}, and have the new check approved.`,
			true,
		);
	}
	/* Payments that were made before are reported, whether or not they are approved. */
	const told = others.filter(({ kind }) => kind !== undefined);
	const unapproved = others.filter(({ kind }) => kind === undefined);
	const refused = unapproved.map(({ items, columns }) => ({
		items,
		columns,
		error: items.some((item) => given.has(item))
			? notApproved(
					'This isn’t what was approved',
					'Something changed after the check. Check it again, and have the new check approved.',
				)
			: notApproved(
					`Approved Check is missing, and ${credentialLabel(credentials)} require it`,
					'Run this first with Check Only, have a person approve it, and use its approval as Approved Check under Options.',
				),
	}));
	return { ...plan, jobs: [...kept, ...told], refusals: [...refusals, ...refused] };
}
