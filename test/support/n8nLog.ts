import { CredentialTestContext } from 'n8n-core';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Records n8n's log lines instead of writing them. */
export function recordLog(): { readonly lines: readonly string[]; stop(): void } {
	/* All of n8n's contexts share one logger. */
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
