import fc from 'fast-check';

import { otherEvent } from '../../n8nHost/sampleEvents';
import { runs } from '../support/propertyRuns';
import { useLog } from '../support/n8nLog';
import { leakIn, SPELLINGS, spelling, textsIn, token } from '../support/leakedSecrets';
import { useTriggerHosts } from '../support/triggerHost';

const log = useLog();

const start = useTriggerHosts();

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
					forwarded: `for=1.2.3.4;by=${said}`,
					'x-amzn-oidc-data': `eyJ${'hbGciOiJIUzI1NiJ9'}.${'e'.repeat(20)}.${'s'.repeat(20)}`,
					'x-trace': '7',
				};
				const host = await start({
					parameters: { options: { includeHeaders: true } },
					credentials: { method: 'sharedToken', header: 'X-Proof', secret, previousSecret },
				});
				await host.deliver(JSON.stringify(otherEvent()), headers);
				await host.deliver('{}', { ...headers, 'x-proof': said });
				await host.deliver(JSON.stringify({ object: said }), headers);
				const outputs = await host.outputs();
				const forwarded = expect.stringMatching(/^for=1\.2\.3\.4;by=/);
				expect(outputs).toMatchObject([[{ headers: { 'x-trace': '7', forwarded } }]]);
				expect(JSON.stringify(outputs)).not.toMatch(/"x-proof"|eyJ/);
				const texts = [...textsIn(host.executions), ...log.lines];
				for (const each of [secret, previousSecret]) expect(leakIn(texts, each)).toBeUndefined();
			},
		),
		{ numRuns: runs(40) },
	);
});
