import { randomUUID } from 'node:crypto';

import { z } from 'zod';
import type { Credentials } from '../n8nHost/n8nRest';
import {
	startTestEnvironment,
	AS_INSTALLED,
	type TestEnvironment,
} from '../n8nHost/testEnvironment';
import { chain, node, type WorkflowNode } from '../n8nHost/workflows';
import { bundle, programs } from './bundle';
import { packed } from './packed';

/**
 * Packs the package for the n8n that is to be measured, and builds the probe.
 *
 * @returns the settings of that n8n
 */
export async function measuredN8n(): Promise<Record<string, string>> {
	process.env.PAYROLL_PAYMENTS_TARBALL = await packed();
	for (const file of ['BenchmarkProbe.node', 'PlainSignInApi.credentials']) {
		await bundle(`benchmark/probe/${file}.ts`, `n8n/${file}.js`);
	}
	return { ...AS_INSTALLED, N8N_CUSTOM_EXTENSIONS: `${programs}/n8n` };
}

/** A real n8n with the packed package and the probe, and a sandbox. */
export async function startBenchmarkEnvironment(
	env: Record<string, string> = {},
): Promise<TestEnvironment> {
	return await startTestEnvironment({ ...(await measuredN8n()), ...env });
}

/** A new n8n process, with a small heap and no memory; resolves when it listens for these workflows. */
export async function restart(
	environment: TestEnvironment,
	...workflows: readonly { listening(environment: TestEnvironment): Promise<void> }[]
): Promise<void> {
	await environment.n8nProcess.stop();
	await environment.n8nProcess.start();
	for (const each of workflows) await each.listening(environment);
}

/** One task of the probe. */
export function probe(
	name: string,
	parameters: Record<string, unknown>,
	more: Partial<WorkflowNode> = {},
): WorkflowNode {
	return node(name, 'CUSTOM.benchmarkProbe', parameters, more);
}

/** n8n's HTTP Request node with our credentials. */
export function httpRequest(name: string, parameters: Record<string, unknown>): WorkflowNode {
	return node(
		name,
		'n8n-nodes-base.httpRequest',
		{
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'payrollPaymentsApi',
			options: {},
			...parameters,
		},
		{
			typeVersion: 4.5,
			credentials: { payrollPaymentsApi: { id: null, name: '' } },
		},
	);
}

const report = z.object({
	milliseconds: z.number(),
	items: z.number(),
	digest: z.string(),
	rssMegabytes: z.number().default(0),
	peakMegabytes: z.number().default(0),
	/** Of n8n's process, since it started. */
	cpuMilliseconds: z.number().default(0),
	/** The files that n8n's process has loaded of our package. */
	loaded: z.array(z.string()).default([]),
});

/** The probe's measurements of one run. */
export type Report = z.infer<typeof report>;

/** A workflow that a webhook starts, and that answers with the output of its last node. */
export class Runner {
	private constructor(private readonly url: string) {}

	/** @param nodes the nodes after the webhook; the last one is a probe */
	static async start(
		{ n8n }: TestEnvironment,
		name: string,
		nodes: readonly WorkflowNode[],
		credentials: Credentials[] = [],
	): Promise<Runner> {
		const path = randomUUID();
		const webhook = node(
			'Webhook',
			'n8n-nodes-base.webhook',
			{ httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
			{ typeVersion: 2.1, webhookId: path },
		);
		const { id } = await n8n.saveWorkflow(
			{ ...chain(name, [webhook, ...nodes]), settings: { saveDataSuccessExecution: 'none' } },
			credentials,
		);
		await n8n.activate(id);
		const url = `${n8n.url}/webhook/${path}`;
		await n8n.waitForWebhook(url);
		return new Runner(url);
	}

	/** A workflow that times the nodes between two probes. */
	static async timing(
		environment: TestEnvironment,
		name: string,
		nodes: readonly WorkflowNode[],
		path = '',
	): Promise<Runner> {
		return await Runner.start(
			environment,
			name,
			[probe('Begin', { task: 'begin' }), ...nodes, probe('End', { task: 'end', path })],
			[environment.api],
		);
	}

	/** Waits until n8n accepts requests for it after a restart. */
	async listening({ n8n }: TestEnvironment): Promise<void> {
		await n8n.waitForWebhook(this.url);
	}

	async run(body: unknown): Promise<Report> {
		const response = await fetch(this.url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		const answer = await response.text();
		if (!response.ok) throw new Error(`n8n answered ${response.status}: ${answer}`);
		return report.parse(JSON.parse(answer));
	}
}

/** The number of requests to the sandbox since the last call, per operation. */
export async function requestsSince({
	sandbox,
}: Pick<TestEnvironment, 'sandbox'>): Promise<Record<string, number>> {
	const { counts } = await sandbox.control<{ counts: Record<string, number> }>(
		'GET',
		'log?limit=1',
	);
	await sandbox.control('DELETE', 'log');
	return counts;
}
