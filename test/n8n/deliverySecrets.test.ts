import fc from 'fast-check';

import { otherEvent } from '../support/sampleEvents';
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
async function withHost(setup: Setup, use: (host: TriggerHost) => Promise<void>) {
	const host = await TriggerHost.start(setup);
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
