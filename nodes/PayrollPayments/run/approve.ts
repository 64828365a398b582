import { createHash } from 'node:crypto';

import { z } from 'zod';

import { credentialLabel } from '../api/credentialLimits';
import type { PublicCredentials } from '../api/credentials';
import { messageOf, UserError } from '../shared/errors';
import { canonicalJson } from '../shared/json';
import { groupsOf, listed, quantity } from '../shared/lists';
import { placeName } from '../shared/sheetPlace';
import type { Operation } from './operation';
import { inOrder, inputItemsOf, refuseRest, rowsThatAre, sheetPlaceOf, type Row } from './rows';
import type { Approvable, OutputRecord, ShownWrite } from './write';

/*
 * Two checks give approvals:
 * - Check Only (run.ts): for each item, or each list on an item, over its rows as `asListApproves` shows them.
 * - Check Output: One for the Run (operations/payment/runCheck.ts): over all rows, as `asRunApproves` shows them.
 * Between the check and the run that sends, a row can change its state: one that was ready may be paid by
 * now. So `approve` computes the approval for each state that the row may have had at its check.
 */

/** Crockford's Base32: no letters that are read as others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** How many refused rows an error lists before it only counts the rest. */
const MAX_REASONS = 5;

/** Characters of an approval, in groups of four. */
const LENGTH = 16;

/**
 * The approval over some writes, in their order: the operation and the service, and of each write its
 * method, path, body, what is signed, a payment's reference and whether it is left alone; without the
 * columns of the report. The same writes in another run have the same one.
 */
export function approvalOf(
	{ operation, baseUrl }: Approvable,
	writes: readonly ShownWrite[],
): string {
	const covered = writes.map(({ request, signs, reference = null, isLeftAlone = false }) => {
		const { method = null, path = null, body = null } = request ?? {};
		const own = [operation, baseUrl, method, path, body, signs, reference];
		return isLeftAlone ? [...own, 'left alone'] : own;
	});
	const hash = createHash('sha256').update(canonicalJson(covered)).digest();
	const number = BigInt(`0x${hash.subarray(0, (LENGTH * 5) / 8).toString('hex')}`);
	return number
		.toString(32)
		.padStart(LENGTH, '0')
		.replace(/./g, (digit) => ALPHABET.charAt(parseInt(digit, 32)))
		.replace(/(.{4})(?=.)/g, '$1-');
}

/** Normalizes what a person typed: no hyphens or spaces, O as 0, I and L as 1. */
function normalizeApproval(approval: string): string {
	return approval.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
}

/** The service that the writes go to, for the person who approves them. */
export function serviceHost({ baseUrl }: Pick<Approvable, 'baseUrl'>): string {
	return new URL(baseUrl).host;
}

/**
 * The approval of each row. The rows of a list have one over all of them, since their item can name only
 * one.
 * @param shown a row as the approval covers it
 */
export function approvalsOf(
	of: Approvable,
	rows: readonly Row[],
	shown: (row: Row) => Row,
): ReadonlyMap<Row, string> {
	const lists = groupsOf(inOrder(rows), (row) => row.place?.item ?? row);
	return new Map(
		[...lists.values()].flatMap((list) => {
			const writes = list.flatMap((row) => shown(row).writes);
			const approval = approvalOf(of, writes);
			return list.map((row) => [row, approval] as const);
		}),
	);
}

/** What *Check Only* puts out for the writes of one row. */
export function checkRecords(
	of: Approvable,
	writes: readonly ShownWrite[],
	approval = approvalOf(of, writes),
): OutputRecord[] {
	return writes.map(({ summary, columns, request, signs, signsSummary }) => ({
		check: 'passed',
		summary: [summary, `Service: ${serviceHost(of)}`, signsSummary ?? []].flat().join('. '),
		approval,
		...columns,
		signs,
		request,
	}));
}

function notApproved(what: string, next: string): UserError {
	return new UserError(what, { hint: next, page: 'payments.md#approve-exactly-what-was-checked' });
}

/** What n8n's *Send and Wait* puts out where a person declined: n8n goes on then, too. */
const declined = z.object({ data: z.object({ approved: z.literal(false) }) });

/**
 * Refuses the rows that name what a person declined: the same approval as a row whose item says so.
 * @param items all input items
 * @param approved the same as in {@link approve}
 */
export function refuseDeclined(
	rows: readonly Row[],
	items: ReadonlyArray<{ readonly json: unknown }>,
	approved: ReadonlyMap<number, string>,
): readonly Row[] {
	const declining = new Set(
		items.flatMap(({ json }, item) => (declined.safeParse(json).success ? [item] : [])),
	);
	if (declining.size === 0) return rows;
	const named = (row: Row) =>
		row.numbers.map((number) => normalizeApproval(approved.get(number) ?? '')).filter(Boolean);
	const ofDeclined = rows.filter((row) => inputItemsOf(row).some((item) => declining.has(item)));
	const declinedApprovals = new Set(ofDeclined.flatMap(named));
	return rows.map((row) => {
		const isDeclined = named(row).some((approval) => declinedApprovals.has(approval));
		if (row.state.is !== 'ready' || !isDeclined) return row;
		const error = notApproved(
			'The approval before this node was declined',
			'n8n goes on after a no, too: put an If node behind the approval that lets only a yes through.',
		);
		return { ...row, state: { is: 'refused', error } };
	});
}

interface ApprovalContext {
	readonly approvable: Approvable;
	readonly credentials: Pick<PublicCredentials, 'limits'> &
		Partial<Pick<PublicCredentials, 'name'>>;
}

function requestsIn(rows: readonly Row[]): string {
	const writes = rowsThatAre(rows, 'ready').flatMap((row) => row.writes);
	return quantity(writes.length, 'request');
}

/**
 * Refuses the rows that aren't approved. A row is approved if its items name its own approval. All rows are
 * approved if several items name the same one and it's the run's, which also covers rows that were made before.
 * @param approved what the items or rows name as approved, by number
 */
export function approve(
	{ contentOf = requestsIn }: Pick<Operation, 'contentOf'>,
	rows: readonly Row[],
	{ approvable: of, credentials }: ApprovalContext,
	approved: ReadonlyMap<number, string>,
): readonly Row[] {
	if (approved.size === 0 && !credentials.limits.requireApproval) return rows;
	const given = new Map([...approved].map(([number, text]) => [number, normalizeApproval(text)]));
	const ready = rowsThatAre(rows, 'ready');
	const isApproved = approvedByItem(of, rows, given);
	const unapproved = new Set<Row>(ready.filter((row) => !isApproved(row)));
	if (unapproved.size === 0) return rows;
	const approvals = new Set(given.values());
	/* Several items that all name the same approval name that of their run. */
	if (given.size > 1 && approvals.size === 1) {
		if (includesRun(approvals, of, rows)) return rows;
		const isPartly = unapproved.size < ready.length;
		return refuseRest(rows, isPartly ? coversSomeError() : otherRunError(rows, contentOf));
	}
	return rows.map((row) => {
		if (!unapproved.has(row)) return row;
		const error = row.numbers.some((number) => given.has(number))
			? notApproved(
					'This isn’t what was approved',
					'Something changed after the check. Check it again, and have the new check approved.',
				)
			: notApproved(
					`Approved Check is missing, and ${credentialLabel(credentials)} require it`,
					'Run this first with Check Only, have a person approve it, and use its approval as Approved Check under Options.',
				);
		return { ...row, state: { is: 'refused', error } };
	});
}

/** Whether the items of a row all name the approval that its check gave for it, or for its list. */
function approvedByItem(
	of: Approvable,
	rows: readonly Row[],
	given: ReadonlyMap<number, string>,
): (row: Row) => boolean {
	/* The check isn't kept, only its approval, so each way in which it may have shown the row is tried. */
	const asChecked = [
		/* Ready. */
		withPlaceholder,
		/* Left alone, because its outcome was unknown then, too. */
		(row: Row) => withPlaceholder(asRunApproves(row)),
		/* As Check Only shows it, or refused because an earlier run had made it. */
		asListApprovedBeforeSkip,
	].map((shown) => approvalsOf(of, rows, shown));
	return (row) => {
		const approvals = asChecked.map((each) => normalizeApproval(each.get(row) ?? ''));
		return row.numbers.every((number) => {
			const named = given.get(number);
			return named !== undefined && approvals.includes(named);
		});
	};
}

/** Whether one of the approvals is that of all rows together. */
function includesRun(
	approvals: ReadonlySet<string>,
	of: Approvable,
	rows: readonly Row[],
): boolean {
	/* A refused row can be part of it only if its request is known, e.g. because an earlier run has made it. */
	const isWhole = rowsThatAre(rows, 'refused').every(({ writes }) => writes.length > 0);
	const all = inOrder(rows);
	/* The check approved all rows, or left alone those whose outcome wasn't known. */
	return (
		isWhole &&
		[all, all.map(asRunApproves)].some((shown) => {
			const writes = shown.flatMap((row) => row.writes);
			return approvals.has(normalizeApproval(approvalOf(of, writes)));
		})
	);
}

/** A row as the approval of a run covers it: as left alone if an earlier run may have sent it. */
export function asRunApproves<Some extends Row>(row: Some): Some {
	if (row.state.is !== 'unknown' || row.state.when === 'earlierTry') return row;
	return markedAsLeftAlone(row);
}

function markedAsLeftAlone<Some extends Row>(row: Some): Some {
	return { ...row, writes: row.writes.map((write) => ({ ...write, isLeftAlone: true })) };
}

/** Stands for the request of a row that can't be read. */
const PLACEHOLDER: ShownWrite = { summary: '', request: null, signs: null, isLeftAlone: true };

/** Without a placeholder for a row that can't be read, its list would have another approval. */
function withPlaceholder<Some extends Row>(row: Some): Some {
	return row.state.is === 'refused' && row.writes.length === 0
		? { ...row, writes: [PLACEHOLDER] }
		: row;
}

/** A row as the approval of a list covers it: also as left alone if its check refused it. */
export function asListApproves<Some extends Row>(row: Some): Some {
	const shown = withPlaceholder(row);
	return row.state.is === 'refused' ? markedAsLeftAlone(shown) : asRunApproves(shown);
}

/** The same for a change that an earlier run made: it is skipped now, but its check may have refused it. */
function asListApprovedBeforeSkip<Some extends Row>(row: Some): Some {
	const wasMadeBefore = 'when' in row.state && row.state.when === 'earlierRun';
	return wasMadeBefore ? markedAsLeftAlone(row) : asListApproves(row);
}

function coversSomeError(): UserError {
	return notApproved(
		'Approved Check covers only some of the requests of this run',
		'Give each row the approval of its own request, or have all approved as one: payments checked with Check Output One for the Run, invites sent in one request (one team, one role, Invitees per Request 0).',
	);
}

function otherRunError(
	rows: readonly Row[],
	contentOf: (rows: readonly Row[]) => string,
): UserError {
	const refusals = inOrder(rowsThatAre(rows, 'refused')).filter(
		({ writes }) => writes.length === 0,
	);
	const reasons = refusals.map(
		(row) => `${placeName(sheetPlaceOf(row))} (${messageOf(row.state.error)})`,
	);
	const why =
		refusals.length > 0
			? 'Correct or leave out what was refused, check the run again'
			: `The run now has ${contentOf(rows)}. Give both nodes the same rows in the same order; for payments, set Check Output to One for the Run. Then check it again`;
	const because = reasons.length === 0 ? '' : `, because of ${listed(reasons, MAX_REASONS)}`;
	return notApproved(
		`This run isn’t the one that was approved${because}`,
		`${why}, and have the new check approved.`,
	);
}
