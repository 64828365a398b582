import { randomUUID } from 'node:crypto';

import fc from 'fast-check';

import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { otherEvent, timestamped } from '../support/sampleEvents';
import { runs } from '../support/propertyRuns';
import { recordLog } from '../support/n8nLog';
import { leakIn, SPELLINGS, spelling, textsIn, token } from '../support/leakedSecrets';
import { TriggerHost, type Setup } from '../support/triggerHost';

let log: ReturnType<typeof recordLog>;

beforeEach(() => {
	log = recordLog();
});

afterEach(() => {
	log.stop();
});

/** The executions that deliveries to such a trigger start. */
async function withHost(setup: Partial<Setup>, use: (host: TriggerHost) => Promise<void>) {
	const host = await TriggerHost.start({ nodeId: randomUUID(), ...setup });
	await use(host);
	await host.idle();
	await host.stop();
	return host.executions;
}

it('headers and the log never show secrets that a delivery repeats', async () => {
	await fc.assert(
		fc.asyncProperty(
			token,
			token,
			spelling,
			spelling,
			async (secret, previousSecret, one, other) => {
				const say = (text: string) => `<${SPELLINGS[one]?.(text)}> ${SPELLINGS[other]?.(text)}`;
				const said = `${say(secret)} ${say(previousSecret)}`;
				const headers = {
					'content-type': 'application/json',
					'x-proof': secret,
					'x-api-key': secret,
					'proxy-authorization': secret,
					'x-forwarded-proof': said,
					'x-trace': '7',
				};
				const setup = {
					parameters: { options: { includeHeaders: true } },
					credentials: { method: 'sharedToken', header: 'X-Proof', secret, previousSecret },
				};
				const executions = await withHost(setup, async (host) => {
					await host.deliver(JSON.stringify(otherEvent()), headers);
					await host.deliver('{}', { ...headers, 'x-proof': said });
					await host.deliver(JSON.stringify({ object: said }), headers);
				});
				expect(executions).toHaveLength(1);
				const output = executions[0]?.output[0]?.json;
				expect(output).toMatchObject({ headers: { 'x-trace': '7' } });
				const texts = [...textsIn(executions), ...log.lines];
				for (const each of [secret, previousSecret]) expect(leakIn(texts, each)).toBeUndefined();
			},
		),
		{ numRuns: runs(40) },
	);
});

describe('the log line about an ended duplicate', () => {
	/** Has an event delivered to two processes, the second of which finds it in n8n's store. */
	async function deliverTwice(setup: Partial<Setup>, secret: string, key: string): Promise<string> {
		const nodeId = randomUUID();
		const body = Buffer.from(JSON.stringify(otherEvent({ idempotency_key: key })));
		const deliver = async (trigger: PayrollPaymentsTrigger) =>
			await withHost({ nodeId, ...setup, trigger }, async (host) => {
				const signature = timestamped(secret, Math.floor(Date.now() / 1000), body);
				await host.deliver(body, { 'content-type': 'application/json', 'x-signature': signature });
			});
		await deliver(new PayrollPaymentsTrigger());
		/* The node loads its code when a delivery comes, so the delivery has to be isolated, too. */
		await jest.isolateModulesAsync(async () => {
			const module = await import('../../nodes/PayrollPayments/PayrollPaymentsTrigger.node');
			await deliver(new module.PayrollPaymentsTrigger());
		});
		return log.lines.find((line) => line.includes('already recorded this event')) ?? '';
	}

	it('never shows secrets that its key repeats', async () => {
		await fc.assert(
			fc.asyncProperty(token, spelling, fc.nat(50), async (secret, name, words) => {
				const key = `${'k '.repeat(words)}${SPELLINGS[name]?.(secret)}`;
				const line = await deliverTwice({ credentials: { secret } }, secret, key);
				expect(line).toContain('idempotency_key');
				expect(leakIn([line], secret)).toBeUndefined();
				log.stop();
				log = recordLog();
			}),
			{ numRuns: runs(8) },
		);
	});

	it('names the key if it isn’t a secret or if there is no credential', async () => {
		const parameters = { authentication: 'none' };
		expect(
			await deliverTwice({ credentials: { secret: 'whsec_12345' } }, 'whsec_12345', 'key 1'),
		).toMatch(/"key 1"/);
		log.stop();
		log = recordLog();
		expect(await deliverTwice({ parameters, credentials: undefined }, '', 'key 2')).toMatch(
			/"key 2"/,
		);
	});
});
