import { sampleEvent } from '../../scripts/lib/exampleSamples';
import { EXAMPLES, readExample } from '../support/examples';
import { useTriggerHosts } from '../support/triggerHost';

const start = useTriggerHosts();

it.each(EXAMPLES)(
	'the example %s pins what the trigger puts out when the sample is delivered',
	async (name) => {
		const workflow = readExample(name);
		for (const { name: node, parameters, type } of workflow.nodes) {
			if (!type.endsWith('.payrollPaymentsTrigger')) continue;
			const { events, ...rest } = JSON.parse(JSON.stringify(parameters));
			const host = await start({ parameters: { ...rest, events } });
			const answer = await host.send(sampleEvent(events[0]));
			expect(answer.status).toBe(200);
			const [items = []] = await host.outputs();
			expect(items.map((json) => ({ json }))).toEqual(workflow.pinData?.[node]);
		}
	},
);
