/**
 * The environment of the tests of the calling file, once it has started.
 *
 * @param minutes how long each test, and the start, may take
 */
export function useEnvironment<Environment extends object>(
	start: () => Promise<Environment>,
	minutes = 15,
): Environment {
	jest.setTimeout(minutes * 60_000);
	const environment: Environment = Object.create(null);
	beforeAll(async () => {
		Object.assign(environment, await start());
	});
	return environment;
}
