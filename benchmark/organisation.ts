import { z } from 'zod';
import type { TestEnvironment } from '../n8nHost/testEnvironment';

const organisation = z.object({
	company: z.object({ nanoid: z.string() }),
	teams: z.array(z.object({ nanoid: z.string() })),
});

async function read({ sandbox }: TestEnvironment) {
	return organisation.parse(await sandbox.control('GET', 'organisation'));
}

/** The company and its teams, which have balances. */
export async function entityIds(environment: TestEnvironment): Promise<string[]> {
	const { company, teams } = await read(environment);
	return [company, ...teams].map(({ nanoid }) => nanoid);
}

/** The team whose size is a setting. */
export async function growingTeam(environment: TestEnvironment): Promise<string> {
	const { teams } = await read(environment);
	const last = teams.at(-1);
	if (last === undefined) throw new Error('The sandbox has no team.');
	return last.nanoid;
}
