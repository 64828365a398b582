import { run } from '../../tooling/processes.mjs';
import type { z } from 'zod';

/**
 * Runs a program in a new process and reads the JSON that it prints.
 * @param modules where it finds packages that aren't next to it
 */
export async function inFreshProcess<Result>(
	shape: z.ZodType<Result, z.ZodTypeDef, unknown>,
	command: { node: string; args: string[]; env: Record<string, string>; modules?: string },
): Promise<Result> {
	const { node, args, env, modules } = command;
	const printed = await run(node, args, {
		env: {
			...env,
			/* Nothing that an earlier process has compiled: an n8n is installed without that. */
			NODE_DISABLE_COMPILE_CACHE: '1',
			...(modules === undefined ? {} : { NODE_PATH: modules }),
		},
	});
	return shape.parse(JSON.parse(printed));
}
