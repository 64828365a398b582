import { CredentialTestContext } from 'n8n-core';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Records n8n's log lines in each test of the calling file, instead of writing them. */
export function useLog(): { readonly lines: readonly string[] } {
	const lines: string[] = [];
	let stop = () => {};
	beforeEach(() => {
		/* All of n8n's contexts share one logger. */
		const { logger } = new CredentialTestContext();
		lines.length = 0;
		const spies = LEVELS.map((level) =>
			jest.spyOn(logger, level).mockImplementation((...line) => {
				lines.push(
					line.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '),
				);
			}),
		);
		stop = () => spies.forEach((spy) => spy.mockRestore());
	});
	afterEach(() => stop());
	return { lines };
}
