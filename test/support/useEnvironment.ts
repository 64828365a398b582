/** The environment of the tests of the calling file, once it has started. */
export function useEnvironment<Environment extends object>(
	start: () => Promise<Environment>,
): Environment {
	jest.setTimeout(900_000);
	const environment: Environment = Object.create(null);
	beforeAll(async () => {
		Object.assign(environment, await start());
	});
	return environment;
}
