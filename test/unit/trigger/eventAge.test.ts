import { ageMismatchOf } from '../../../nodes/PayrollPayments/trigger/receive';
import { parseEvent } from '../../../nodes/PayrollPayments/trigger/parseEvent';
import { otherEvent } from '../../support/sampleEvents';

const NOW = 1_800_000_000_000;
const hint = 'See Maximum Age (Seconds) in the trigger’s options.';

/** Why an event of this creation time is refused where it may be 60 seconds old. */
function mismatchOf(created: unknown, maximumSeconds = 60) {
	const parsed = parseEvent(
		Buffer.from(JSON.stringify(otherEvent({ created }))),
		'application/json',
	);
	if (!('event' in parsed)) throw new Error(JSON.stringify(parsed));
	const refusal = ageMismatchOf(parsed, maximumSeconds, NOW);
	return refusal && { message: refusal.message, hint: refusal.hint };
}

it.each([NOW / 1000 - 60, NOW - 60_400, NOW / 1000, NOW / 1000 + 3_600])(
	'an event created at %d is young enough',
	(created) => {
		expect(mismatchOf(created)).toBeUndefined();
	},
);

it.each([NOW / 1000 - 61, NOW - 61_000])('an event created at %d is too old', (created) => {
	const message = 'The event is 61 seconds old; at most 60 are allowed';
	expect(mismatchOf(created)).toEqual({ message, hint });
});

it.each([undefined, null, '1800000000'])('an event created at %j has no age', (created) => {
	expect(mismatchOf(created)).toEqual({ message: 'The event has no creation time', hint });
});

it('any age is allowed without a limit', () => {
	expect(mismatchOf(undefined, Number.POSITIVE_INFINITY)).toBeUndefined();
});
