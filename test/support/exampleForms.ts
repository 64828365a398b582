import type { Wallet } from 'ethers';
import { z } from 'zod';

import { outputOf, type Execution } from '../../n8nHost/executions';
import type { N8nRest } from '../../n8nHost/n8nRest';
import { without } from '../../n8nHost/sampleEvents';

const typedData = z.object({
	domain: z.record(z.unknown()),
	types: z.record(z.array(z.object({ name: z.string(), type: z.string() }))),
	message: z.record(z.unknown()),
});

/** A wallet's signature of what *sign-outside* asks for. */
export async function signedOutside(
	execution: Execution,
	wallet: Pick<Wallet, 'signTypedData'>,
): Promise<string> {
	const [asked] = outputOf(execution, 'What to sign');
	const { domain, types, message } = typedData.parse(asked);
	return await wallet.signTypedData(domain, without(types, 'EIP712Domain'), message);
}

/** The link to the form at which an execution waits, if it waits at one. */
export async function formLink(n8n: N8nRest, execution: string): Promise<string | undefined> {
	const stored = await n8n.request<{ data: string }>('GET', `/rest/executions/${execution}`);
	return /http[^"\\\s]+form-waiting[^"\\\s]*/.exec(stored.data)?.[0];
}
