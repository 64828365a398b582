import { z } from 'zod';

import { ExecutionJournal } from '../../../nodes/PayrollPayments/idempotency/executionJournal';
import { NoResponseError, ServiceError } from '../../../nodes/PayrollPayments/shared/errors';

const invited = { nanoids: ['in-123456789012'] };
const change = (name: string, isUnrepeatable?: boolean) => ({
	identity: [[0], 'POST', '/invites', { name }],
	isUnrepeatable,
	answer: z.object({ nanoids: z.array(z.string()) }),
});
const broken = new NoResponseError('The connection broke');
const refused = new ServiceError('no', { status: 400, nothingDone: true });

let executions = 0;
let executionId: string;

beforeEach(() => (executionId = `execution ${(executions += 1)}`));

const journal = (runIndex = 0, isTool = false) =>
	new ExecutionJournal({
		...{ workflowId: 'w', nodeId: 'n', nodeName: 'Invite', executionId },
		...{ runIndex, isTool, hasOwnRun: !isTool },
	});
const sends = async () => await Promise.resolve(invited);
const fails = (error: Error) => async () => await Promise.reject(error);
const neverSent = fails(new Error('sent'));

it('does not send an unrepeatable change again whose outcome is unknown', async () => {
	await expect(journal().perform(change('ana', true), fails(broken))).rejects.toBe(broken);
	const error = {
		message:
			'The connection broke. The request wasn’t sent again, because the first one may have succeeded',
		hint: 'Check the result in the service, then run the workflow again for what’s missing.',
		name: 'NoResponseError',
	};
	await expect(journal().perform(change('ana', true), neverSent)).rejects.toMatchObject(error);
	expect(await journal().look([change('ana', true)])).toMatchObject([
		{ is: 'unknown', when: 'earlierTry', error },
	]);
});

it('a refusal after an unknown outcome may be of what was done then', async () => {
	await expect(journal().perform(change('ana'), fails(broken))).rejects.toBe(broken);
	await expect(journal().perform(change('ana'), fails(refused))).rejects.toMatchObject({
		message: 'The connection broke. An earlier try may have made this change. The last try: no',
		hint: 'Check the result in the service before you run this again.',
		context: { outcome: 'unknown' },
	});
	await expect(journal().perform(change('ben'), fails(refused))).rejects.toBe(refused);
	/* It says nothing of reads, and of defects. */
	const read = { ...change('cleo'), isRead: true };
	await expect(journal().perform(read, fails(broken))).rejects.toBe(broken);
	await expect(journal().perform(read, fails(refused))).rejects.toBe(refused);
	const defect = new TypeError('a defect');
	await expect(journal().perform(change('ana'), fails(defect))).rejects.toBe(defect);
});

it.each([
	['an unknown outcome of a repeatable change', undefined, broken],
	['a refusal', true, refused],
	['a fault of our own', true, new TypeError('x')],
])('sends again after %s', async (_what, isUnrepeatable, error) => {
	const again = change('ana', isUnrepeatable);
	await expect(journal().perform(again, fails(error))).rejects.toBe(error);
	expect(journal().hasAnswers).toBe(false);
	expect(await journal().perform(again, sends)).toEqual(invited);
	expect(journal().hasAnswers).toBe(true);
});

it('counts all tries of an AI tool as one run for what may not be sent again', async () => {
	await journal(3, true).perform(change('ana', true), sends);
	expect(await journal(4, true).look([change('ana', true), change('ana')])).toMatchObject([
		{ is: 'done', when: 'earlierTry' },
		{ is: 'sendable' },
	]);
	await journal(3, true).perform(change('ben'), sends);
	expect(await journal(3, true).look([change('ben')])).toMatchObject([{ is: 'done' }]);
	expect(await journal(4, true).look([change('ben')])).toMatchObject([{ is: 'sendable' }]);
});

it('sends a change once that an AI tool makes twice at the same moment', async () => {
	const send = jest.fn(sends);
	const both = [3, 4].map(
		async (run) => await journal(run, true).perform(change('ana', true), send),
	);
	expect(await Promise.all(both)).toEqual([invited, invited]);
	expect(send).toHaveBeenCalledTimes(1);
});
