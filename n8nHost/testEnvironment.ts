import { rmSync } from 'node:fs';
import path from 'node:path';

import { N8N_VERSIONS, n8nVersionUnderTest } from '../tooling/n8nVersions.mjs';
import { stopAfterFile } from './cleanups';
import { N8nDatabase, type PostgresDatabase } from './n8nDatabase';
import { N8nProcess } from './n8nProcess';
import { N8nRest } from './n8nRest';
import { installN8nUnderTest, packageUnderTest } from './n8nUnderTest';
import { newDataFolder } from './preparedFolders';
import { psql, postgresSettings } from './postgreSql';
import { firstTeam, saveSandboxCredentials, type SandboxCredentials } from './sandboxCredentials';
import { SandboxProcess } from './sandboxProcess';
import { leaseN8n } from './sharedN8n';

/** A real n8n with the packed package installed, and its owner signed in. */
export interface N8nEnvironment {
	readonly n8n: N8nRest;
	readonly n8nProcess: N8nProcess;
	readonly database: N8nDatabase;
	/** Stops everything and removes its data. */
	stop(): Promise<void>;
}

/** The same with a sandbox, and with credentials for it. */
export interface TestEnvironment extends N8nEnvironment, SandboxCredentials {
	readonly sandbox: SandboxProcess;
	/** The sandbox's first team. */
	readonly teamId: string;
}

/**
 * An n8n with its editor and all of its modules, with the process that runs Code nodes, and with its own
 * expression engine.
 */
export const AS_INSTALLED = {
	N8N_DISABLE_UI: 'false',
	N8N_DISABLED_MODULES: '',
	N8N_RUNNERS_MODE: 'internal',
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'false',
};

/** Most tests need none of it, and n8n starts sooner without. */
const LIGHT = {
	N8N_DISABLE_UI: 'true',
	N8N_DISABLED_MODULES: N8N_VERSIONS[n8nVersionUnderTest()].spareModules.join(','),
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'nobody',
	// The engine only where there is an expression: a tenth of a second less for each execution.
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
};

/**
 * Starts a real n8n with its own data folder; takes about 10 seconds. A test file that doesn't stop
 * n8n and needs no settings uses {@link shareN8n} instead.
 *
 * @param env more of n8n's settings, e.g. {@link AS_INSTALLED}
 */
export async function startN8n(env: Record<string, string> = {}): Promise<N8nEnvironment> {
	const environment = await launchN8n(env);
	stopAfterFile(environment.stop);
	return environment;
}

async function launchN8n(env: Record<string, string>): Promise<N8nEnvironment> {
	const installation = await installN8nUnderTest();
	const isElsewhere = process.env.PAYROLL_PAYMENTS_POSTGRES !== undefined;
	const dataFolder = await newDataFolder(installation, packageUnderTest(), isElsewhere);
	const postgres = postgresOf(dataFolder);
	if (postgres !== undefined) {
		await psql(postgres.port, `create database "${postgres.name}"`, 'postgres');
	}
	const n8nProcess = await N8nProcess.prepare(installation, {
		dataFolder,
		env: { ...LIGHT, ...(postgres && postgresSettings(postgres.port, postgres.name)), ...env },
	});
	const n8n = new N8nRest(n8nProcess.url);
	const database = new N8nDatabase(n8nProcess, postgres);
	const stop = async () => {
		await database.close();
		await n8nProcess.stop();
		rmSync(dataFolder, { recursive: true, force: true });
	};
	try {
		await n8nProcess.start();
		await n8n.signIn();
	} catch (error) {
		// A process left running would keep the tests from ending.
		await stop();
		throw error;
	}
	return { n8n, n8nProcess, database, stop };
}

/** n8n's database on the PostgreSQL server at the port PAYROLL_PAYMENTS_POSTGRES, if that is set. */
function postgresOf(dataFolder: string): PostgresDatabase | undefined {
	const port = process.env.PAYROLL_PAYMENTS_POSTGRES;
	return port === undefined ? undefined : { port: Number(port), name: path.basename(dataFolder) };
}

/**
 * Starts a real n8n and a sandbox for it, with credentials for both kinds of nodes.
 *
 * @param options with the port of a wallet that asks a person, if there is one
 */
export async function startTestEnvironment(
	env: Record<string, string> = {},
	options: { signerPort?: number } = {},
): Promise<TestEnvironment> {
	return await withSandbox(await startN8n(env), options);
}

const SHARED_SETTINGS = {
	...AS_INSTALLED,
	N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true',
	/* Tests name a client's address as the one proxy in front of n8n does. */
	N8N_PROXY_HOPS: '1',
};

/**
 * An n8n that other test files used before. Workflows and credentials of those files may be there; what
 * is saved under the same name is replaced.
 */
export async function shareN8n(): Promise<N8nEnvironment> {
	const { dataFolder, port, session, release } = await leaseN8n(async () => {
		const { n8n, n8nProcess } = await launchN8n(SHARED_SETTINGS);
		n8nProcess.detach();
		const { dataFolder, port, group } = n8nProcess;
		return { dataFolder, port, group, session: n8n.session };
	});
	const installation = await installN8nUnderTest();
	const n8nProcess = N8nProcess.running(installation, dataFolder, port);
	const n8n = new N8nRest(n8nProcess.url, session);
	const database = new N8nDatabase(n8nProcess, postgresOf(dataFolder));
	const stop = async () => {
		await database.close();
		release();
	};
	stopAfterFile(stop);
	return { n8n, n8nProcess, database, stop };
}

/** The same with a sandbox of its own, and with credentials for it. */
export async function shareTestEnvironment(): Promise<TestEnvironment> {
	return await withSandbox(await shareN8n());
}

async function withSandbox(
	environment: N8nEnvironment,
	options: { signerPort?: number } = {},
): Promise<TestEnvironment> {
	const { n8n, n8nProcess } = environment;
	const logFile = path.join(n8nProcess.dataFolder, 'sandbox.log');
	const sandbox = await SandboxProcess.start({ logFile, ...options });
	return {
		...environment,
		sandbox,
		...(await saveSandboxCredentials(n8n, sandbox)),
		teamId: await firstTeam(sandbox.url),
		async stop() {
			await sandbox.stop();
			await environment.stop();
		},
	};
}
