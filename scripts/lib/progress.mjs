const begun = Date.now();

/**
 * Prints one line with the seconds since the command began.
 *
 * @param {string} text
 */
export function say(text) {
	const seconds = ((Date.now() - begun) / 1000).toFixed(1).padStart(6);
	process.stdout.write(`${seconds} s  ${text}\n`);
}

/**
 * Says what is being done, again every 20 seconds while it lasts, and hands back its result.
 *
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function during(text, work) {
	say(`${text} …`);
	const reminder = setInterval(() => say(`${text} … still at it`), 20_000);
	try {
		return await work();
	} finally {
		clearInterval(reminder);
	}
}
