import { UserError } from '../shared/errors';
import { toMilliseconds } from '../shared/time';
import type { ReceivedEvent } from './parseEvent';

/**
 * Why an event is refused for its age, if it is. One whose creation time can't be read is refused, too.
 *
 * @param maximumSeconds Infinity for no limit
 * @param now current time in milliseconds
 */
export function ageMismatchOf(
	{ event: { created } }: ReceivedEvent,
	maximumSeconds: number,
	now: number,
): UserError | undefined {
	if (maximumSeconds === Number.POSITIVE_INFINITY) return undefined;
	const hint = 'See Maximum Age (Seconds) in the trigger’s options.';
	if (typeof created !== 'number') {
		return new UserError('The event has no creation time', { hint });
	}
	const age = Math.round((now - toMilliseconds(created)) / 1000);
	if (age <= maximumSeconds) return undefined;
	return new UserError(`The event is ${age} seconds old; at most ${maximumSeconds} are allowed`, {
		hint,
	});
}
