import { createHash } from 'node:crypto';

import { z } from 'zod';

import { credentialLabel } from '../api/limits';
import type { ServiceCredentials } from '../api/credentials';
import { UserError } from '../shared/errors';
import { isRecord, type JsonValue } from '../shared/json';
import { centsAsDollars } from '../shared/money';
import type { CheckedWrite, OutputRecord } from './checkedWrite';
import type { FailedItems, Job } from './plan';

/** Crockford's Base32: no letters that are read as others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Characters of an approval, in groups of four. */
const LENGTH = 16;

/** JSON with sorted members, so that the order in which they were written makes no difference. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
	const members = Object.keys(value)
		.sort()
		.filter((name) => value[name] !== undefined)
		.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
	return `{${members.join(',')}}`;
}

function fingerprint(value: unknown): string {
	const bytes = createHash('sha256').update(canonical(value)).digest();
	let bits = BigInt(`0x${bytes.subarray(0, (LENGTH * 5) / 8).toString('hex')}`);
	let text = '';
	for (let index = 0; index < LENGTH; index++) {
		text = `${ALPHABET[Number(bits % 32n)]}${text}`;
		bits /= 32n;
	}
	return text.replace(/(.{4})(?=.)/g, '$1-');
}

/** An approval as people type it: without hyphens, and with what looks like another letter read as it. */
function typed(approval: string): string {
	return approval.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
}

/** What a person approves: which operation sends what where, and what is signed for it. */
export interface Approvable {
	readonly operation: string;
	readonly baseUrl: string;
}

/** The approval over some writes, in their order. Nothing that differs between two runs is in it. */
export function approvalOf(
	{ operation, baseUrl }: Approvable,
	writes: readonly CheckedWrite[],
): string {
	return fingerprint(
		writes.map(({ request, signs, reference }) => [
			operation,
			baseUrl,
			request?.method ?? null,
			request?.path ?? null,
			request?.body ?? null,
			signs,
			reference ?? null,
		]),
	);
}

/** What *Check Only* puts out about one request. */
export const checkOutput = z
	.object({
		check: z.literal('passed'),
		/** What the request does, as a sentence for the person who approves it. */
		summary: z.string(),
		/** What Approved Check takes, so that exactly this is sent. */
		approval: z.string(),
		/** What is signed; null if nothing is, or it isn't known. */
		signs: z
			.object({
				domain: z.record(z.custom<JsonValue>()),
				primaryType: z.string(),
				message: z.record(z.custom<JsonValue>()),
			})
			.nullable(),
		/** The request, its body without the signature. Null if there is nothing to send. */
		request: z
			.object({
				method: z.enum(['POST', 'PUT']),
				path: z.string(),
				body: z.record(z.custom<JsonValue>()),
			})
			.nullable(),
	})
	.passthrough();

/** What *Check Only* puts out for the writes of one job; all have the job's approval. */
export function checkRecords(of: Approvable, writes: readonly CheckedWrite[]): OutputRecord[] {
	const approval = approvalOf(of, writes);
	return writes.map(({ summary, columns, request, signs }) => ({
		check: 'passed',
		summary,
		approval,
		...columns,
		signs: signs && { ...signs },
		request: request && { method: request.method, path: request.path, body: request.body },
	}));
}

/** What a run is about, for the error that says that it isn't the one that was approved. */
function describeRun(jobs: readonly Job[]): string {
	const payments = jobs.filter(({ cents }) => cents !== undefined);
	const count = jobs.flatMap(({ writes }) => writes).length;
	if (payments.length === 0) return `It has ${count} ${count === 1 ? 'request' : 'requests'} now`;
	const total = payments.reduce((sum, { cents = 0 }) => sum + BigInt(cents), 0n);
	return `It has ${payments.length} ${payments.length === 1 ? 'payment' : 'payments'} of ${centsAsDollars(total)} in all now`;
}

function notApproved(what: string, next: string): UserError {
	return new UserError(what, {
		field: 'approvedCheck',
		hint: `${next} Nothing was signed or sent.`,
		outcome: 'refused',
		page: 'payments.md',
	});
}

/** The outcome of comparing a run with what was approved. */
interface Judged {
	readonly jobs: readonly Job[];
	readonly refusals: readonly FailedItems[];
}

/**
 * Keeps the jobs whose items name their own approval or, the same for all, that of the run.
 * @param approved what items name as approved
 * @throws {UserError} where the approval is for the run as a whole and doesn't fit it
 */
export function keepApproved(
	of: Approvable,
	{ jobs, refusals }: Judged,
	credentials: Pick<ServiceCredentials, 'limits' | 'name'>,
	approved: ReadonlyMap<number, string>,
): Judged {
	const writing = jobs.filter(({ writes }) => writes.length > 0);
	if (approved.size === 0 && !credentials.limits.requireApproval) return { jobs, refusals };
	const [first, ...others] = approved.values();
	const isForRun = others.length > 0 && others.every((approval) => approval === first);
	const isOwn = (job: Job) => {
		const own = typed(approvalOf(of, job.writes));
		return job.items.every((item) => typed(approved.get(item) ?? '') === own);
	};
	if (isForRun && !writing.every(isOwn)) {
		const rows = [...writing, ...refusals].sort((a, b) => (a.items[0] ?? 0) - (b.items[0] ?? 0));
		const run = approvalOf(
			of,
			rows.flatMap(({ writes = [] }) => writes),
		);
		const isWhole = refusals.every(({ writes }) => writes !== undefined);
		if (isWhole && typed(first ?? '') === typed(run)) return { jobs, refusals };
		throw notApproved(
			'This run isn’t the one that was approved',
			`${describeRun(writing)}. Check it again, and have the new check approved.`,
		).with({ refusesRun: true });
	}
	const fault = (job: Job): UserError | undefined => {
		if (job.writes.length === 0 || isOwn(job)) return undefined;
		return job.items.every((item) => !approved.has(item))
			? notApproved(
					`Approved Check is missing, and ${credentialLabel(credentials)} require it`,
					'Run this first with Check Only, have a person approve it, and use its approval as Approved Check under Options.',
				)
			: notApproved(
					'This isn’t what was approved',
					'Something changed after the check. Check it again, and have the new check approved.',
				);
	};
	const refused = jobs.flatMap((job) => {
		const error = fault(job);
		return error === undefined ? [] : [{ items: job.items, error, columns: job.columns }];
	});
	return {
		jobs: jobs.filter((job) => fault(job) === undefined),
		refusals: [...refusals, ...refused],
	};
}
