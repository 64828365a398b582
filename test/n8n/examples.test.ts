import { sampleEvent } from '../../scripts/lib/exampleSamples';
import { EXAMPLES, readExample } from '../support/examples';
import { hmac } from '../support/sampleEvents';
import { TriggerHost } from '../support/triggerHost';

it.each(EXAMPLES)(
	'the example %s pins what the trigger puts out when the sample is delivered',
	async (name) => {
		const workflow = readExample(name);
		for (const { name: node, parameters, type } of workflow.nodes) {
			if (!type.endsWith('.payrollPaymentsTrigger')) continue;
			const { events, ...rest } = JSON.parse(JSON.stringify(parameters));
			const host = await TriggerHost.start({
				nodeId: `${name} ${node}`,
				parameters: { ...rest, events },
				credentials: { method: 'hmacSignature', format: 'hex', secret: 'secret' },
			});
			const body = Buffer.from(JSON.stringify(sampleEvent(events[0])));
			const answer = await host.deliver(body, {
				'content-type': 'application/json',
				'x-signature': hmac('secret', body).toString('hex'),
			});
			expect(answer.status).toBe(200);
			await host.idle();
			expect(host.executions[0]?.output.map(({ json }) => ({ json }))).toEqual(
				workflow.pinData?.[node],
			);
			await host.stop();
		}
	},
);
