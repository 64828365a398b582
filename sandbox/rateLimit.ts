const MINUTE = 60_000;

/** Counts the requests of the last minute. */
export class RateLimit {
	private times: number[] = [];

	/** Whether one more request is within the limit; counts it if it is. */
	allows(limit: number | null): boolean {
		if (limit === null) return true;
		const now = Date.now();
		this.times = this.times.filter((time) => time > now - MINUTE);
		if (this.times.length >= limit) return false;
		this.times.push(now);
		return true;
	}

	clear(): void {
		this.times = [];
	}
}
