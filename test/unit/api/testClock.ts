/** A token with these claims, and no genuine signature. */
export function jwt(claims: Record<string, unknown>): string {
	return ['{}', JSON.stringify(claims), 'signature']
		.map((part) => Buffer.from(part).toString('base64url'))
		.join('.');
}

/** A clock that only a test moves. Like a real one, its stopwatch doesn't begin at zero. */
export class TestClock {
	/** How far the clock of this machine is off, in milliseconds. */
	ahead = 0;
	private passed = 0;
	private sleepers: { readonly until: number; readonly wake: () => void }[] = [];

	now = () => 1_800_000_000_000 + this.passed + this.ahead;
	elapsed = () => 60_000 + this.passed;
	sleep = async (milliseconds: number) =>
		await new Promise<void>((wake) => {
			this.sleepers.push({ until: this.passed + milliseconds, wake });
		});

	pass(milliseconds: number): void {
		this.passed += milliseconds;
		for (const { until, wake } of this.sleepers) if (until <= this.passed) wake();
		this.sleepers = this.sleepers.filter(({ until }) => until > this.passed);
	}
}

/** Until nothing more happens without the clock. */
export const settled = async () => await new Promise<void>((resolve) => setImmediate(resolve));
