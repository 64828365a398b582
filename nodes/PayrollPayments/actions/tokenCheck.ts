import { PLACEHOLDER_ID } from '../api/credentialTest';
import { balanceAnswer } from '../api/schemas/answers';
import { ServiceError, UserError } from '../shared/errors';
import type { Job } from './plan';
import type { RunContext } from './runContext';

/**
 * Makes one authenticated read before a run changes anything, unless the service took the token a
 * moment ago. n8n may sign in again and repeat a read, but nothing may repeat a write: so an expired
 * token costs a read instead of a run.
 * @throws {UserError} if the service refuses the token, or can't be reached
 */
export async function confirmToken(run: RunContext, jobs: readonly Job[]): Promise<void> {
	const isSent = ({ writes, isReport, isRepeat }: Job) =>
		writes.length > 0 && isReport !== true && isRepeat !== true;
	if (!jobs.some(isSent) || run.isTokenFresh()) return;
	const paying = jobs.flatMap(({ writes }) => writes.map(({ request }) => request?.body.from));
	const team = paying.find((from) => typeof from === 'string');
	/* Someone waits to pay: a service that hangs isn't asked four times. */
	const patience = { ...run.settings, retries: Math.min(run.settings.retries, 1) };
	try {
		await run.with(run.items, patience).send({
			method: 'GET',
			path: '/v2/balance',
			query: { nanoid: typeof team === 'string' ? team : PLACEHOLDER_ID },
			answer: balanceAnswer,
		});
	} catch (error) {
		if (error instanceof ServiceError && error.status !== 401) return;
		throw error instanceof UserError
			? error.with({ note: 'Nothing was signed or sent.', outcome: 'refused' })
			: error;
	}
}
