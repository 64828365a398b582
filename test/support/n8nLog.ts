import { CredentialTestContext } from 'n8n-core';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Records what is written to n8n's log, one text per line, instead of writing it. */
export function recordLog(): { readonly lines: readonly string[]; stop(): void } {
	/* Every context of n8n hands out the same logger. */
	const { logger } = new CredentialTestContext();
	const lines: string[] = [];
	const spies = LEVELS.map((level) =>
		jest.spyOn(logger, level).mockImplementation((...line) => {
			lines.push(
				line.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '),
			);
		}),
	);
	return { lines, stop: () => spies.forEach((spy) => spy.mockRestore()) };
}
