/**
 * Wall clock, which may be wrong and jump, and stopwatch, which never jumps, but may stand still while the
 * machine sleeps; in milliseconds.
 */
export const systemClock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
};

export type Clock = typeof systemClock;

/** A time by both clocks. */
export type Moment = Readonly<Record<keyof Clock, number>>;

export function momentOf(clock: Clock): Moment {
	return { elapsed: clock.elapsed(), now: clock.now() };
}

/** Whether a moment is less than so many milliseconds ago, by both clocks. False for undefined. */
export function isWithin(milliseconds: number, clock: Clock, moment: Moment | undefined): boolean {
	if (moment === undefined) return false;
	const { elapsed, now } = momentOf(clock);
	return elapsed - moment.elapsed < milliseconds && now - moment.now < milliseconds;
}
