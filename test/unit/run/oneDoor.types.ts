import { z } from 'zod';

import { ENDPOINTS } from '../../../nodes/PayrollPayments/contract/endpoints';
import type { Journal } from '../../../nodes/PayrollPayments/idempotency/journal';
import { defineWrite, eachItem } from '../../../nodes/PayrollPayments/run/operation';
import type { RunContext } from '../../../nodes/PayrollPayments/run/runContext';
import { stepOf } from '../../../nodes/PayrollPayments/run/write';

/*
 * Runs nothing: tsc checks it, and complains about every line below an `@ts-expect-error` that it would
 * allow. So an operation can send a change only through the `perform` of a journal.
 */

const answer = z.object({ id: z.string() });
const change = { ...ENDPOINTS.createInvites, summary: 'Invite ana@example.com', body: {}, answer };
const operation = {
	resource: 'invite',
	operation: 'create',
	name: 'Create',
	action: 'Create invite',
	description: 'Invites somebody',
	permission: 'invitePeople',
	fields: {},
	options: {},
	output: answer,
} as const;

/** What an operation may do: describe the change, and leave the sending to the run. */
export const allowed = defineWrite({
	...operation,
	check: eachItem(async ({ numbers }, context) => [stepOf(context.write(numbers, change))]),
});

export async function withAnotherJournal(context: RunContext, journal: Journal<string, never>) {
	return context.write([0], change, { journal, change: 'key' });
}

type WithPerform = (...given: [unknown, unknown, unknown, perform: unknown]) => Promise<never[]>;
const withPerform: WithPerform = async () => [];

/** A check gets no way to send. */
export const refused = defineWrite({
	...operation,
	// @ts-expect-error the run calls a check without its `perform`
	check: withPerform,
});

export async function sendsInItsCheck(context: RunContext) {
	const { numbers, call } = context.write([0], change);
	// @ts-expect-error a read has the method GET
	await context.read(change);
	// @ts-expect-error the call of a change isn't a read either
	await context.read(call);
	// @ts-expect-error no client to send with
	await context.sendWrite(call);
	// @ts-expect-error no `perform` outside of a row that the run carries out
	await context.perform(context.write(numbers, change));
	// @ts-expect-error n8n's store remembers keys, and sends nothing
	await context.store.httpRequest({ url: 'https://api.example.com' });
	// @ts-expect-error a client has more than the read that an operation gets
	await context.read.sendWrite(call);
}

export function leavesTheJournalOut(context: RunContext) {
	// @ts-expect-error a function in place of a journal would send unrecorded
	context.write([0], change, async ({ send }) => await send());
	// @ts-expect-error what is recorded needs a journal
	context.write([0], change, { change: 'key' });
	const blind = { perform: async <Data>(_: string, send: () => Promise<Data>) => await send() };
	// @ts-expect-error a `perform` alone doesn't make a journal
	context.write([0], change, { change: 'key', journal: blind });
}

export async function fakesAWrite(context: RunContext) {
	const write = context.write([0], change);
	// @ts-expect-error a change doesn't send itself
	await write.send();
	// @ts-expect-error nor does its step: only the run has the `perform` that it takes
	await stepOf(write).take();
}
