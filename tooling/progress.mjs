/**
 * Steps under way, oldest first. A terminal shows them below the finished lines.
 *
 * @type {Set<{ text: string; began: number }>}
 */
const underWay = new Set();

const isTerminal = process.stdout.isTTY === true;

/** How many lines of {@link underWay} are on the terminal. */
let shown = 0;

/** @type {NodeJS.Timeout | undefined} */
let clock;

/** @param {number} seconds */
const column = (seconds) => `${seconds.toFixed(1).padStart(6)} s  `;

function erase() {
	if (shown > 0) process.stdout.write(`\x1b[${shown}A\x1b[0J`);
	shown = 0;
}

function show() {
	if (!isTerminal) return;
	erase();
	const width = Math.max(20, process.stdout.columns ?? 80);
	for (const { text, began } of underWay) {
		const seconds = (process.uptime() - began).toFixed(0);
		process.stdout.write(`          ${`${text} … ${seconds} s`.slice(0, width - 11)}\n`);
	}
	shown = underWay.size;
}

/**
 * Prints lines above the steps under way.
 *
 * @param {string} text
 */
export function print(text) {
	erase();
	process.stdout.write(`${text}\n`);
	show();
}

/**
 * Prints one line with the seconds since this process began.
 *
 * @param {string} text
 */
export function say(text) {
	print(`${column(process.uptime())}${text}`);
}

/**
 * Does a step, and prints one line when it is done. A terminal also shows it while it lasts.
 *
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(text, work) {
	const step = { text, began: process.uptime() };
	underWay.add(step);
	clock ??= isTerminal ? setInterval(show, 1_000).unref() : undefined;
	show();
	const result = await work().finally(() => {
		underWay.delete(step);
		show();
	});
	say(`${text} … done in ${(process.uptime() - step.began).toFixed(1)} s`);
	return result;
}
