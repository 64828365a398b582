/**
 * Prints one line with the seconds since this process began.
 *
 * @param {string} text
 */
export function say(text) {
	process.stdout.write(`${process.uptime().toFixed(1).padStart(6)} s  ${text}\n`);
}

/**
 * Says what is being done, and again every 20 seconds while it lasts.
 *
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(text, work) {
	say(`${text} …`);
	const reminder = setInterval(() => say(`${text} … still working`), 20_000);
	try {
		return await work();
	} finally {
		clearInterval(reminder);
	}
}
