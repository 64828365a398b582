import { readAcknowledge, refusePauses } from '../../../nodes/PayrollPayments/trigger/acknowledge';

it('acknowledges when received, unless the option says otherwise', () => {
	expect(readAcknowledge({})).toBe('received');
	expect(readAcknowledge(undefined)).toBe('received');
	expect(readAcknowledge({ acknowledge: 'received' })).toBe('received');
	expect(readAcknowledge({ acknowledge: 'finished' })).toBe('finished');
});

it.each([null, '', ' ', 'Finished', true, 1, ['finished']])('refuses %j', (acknowledge) => {
	expect(() => readAcknowledge({ acknowledge })).toThrow(
		/^Acknowledge (must be|is missing. Choose) When Finished or When Received \(finished, received\)$/,
	);
});

const wait = (parameters: object, disabled = false) => ({
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	disabled,
	parameters: { ...parameters },
});

it.each([
	{ resume: 'timeInterval', amount: 64, unit: 'seconds' },
	{ resume: 'timeInterval', amount: 1, unit: 'minutes' },
	{ resume: 'timeInterval', amount: 0, unit: 'days' },
	{ amount: 5, unit: 'seconds' },
])('lets a node wait briefly: %j', (parameters) => {
	expect(() => refusePauses([wait(parameters)])).not.toThrow();
});

it.each([
	{ resume: 'timeInterval', amount: 65, unit: 'seconds' },
	{ resume: 'timeInterval', amount: 2, unit: 'minutes' },
	{ resume: 'timeInterval', amount: '={{ $json.seconds }}', unit: 'seconds' },
	{ resume: 'timeInterval', amount: 1, unit: '={{ $json.unit }}' },
	{ resume: 'specificTime', amount: 1, unit: 'seconds' },
	{ resume: 'webhook' },
	{ resume: 'form' },
	{},
])('refuses a node that pauses: %j', (parameters) => {
	expect(() => refusePauses([wait(parameters)])).toThrow(
		"Acknowledge can't be “When Finished” because the node “Wait” pauses the workflow",
	);
	expect(() => refusePauses([wait(parameters, true)])).not.toThrow();
});
