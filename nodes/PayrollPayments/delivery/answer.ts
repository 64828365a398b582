import { Claims, type Claim } from './claims';
import type { DeliveryHeaders } from './verify';

/** The part of n8n's request that is needed. */
export interface IncomingRequest {
	/** The sender; behind proxies the address that n8n's own N8N_PROXY_HOPS trusts. */
	readonly ip?: string;
	readonly headers: DeliveryHeaders;
	readonly rawBody?: Uint8Array;
}

/** The part of n8n's response that is needed. */
export interface OutgoingResponse {
	readonly statusCode: number;
	/** Whether the connection is gone. */
	readonly closed: boolean;
	status(code: number): OutgoingResponse;
	json(body: object): unknown;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** The claims of every trigger in this n8n process; they outlive saving and activating. */
const claimsByNode = new Map<string, Claims>();

/** The claims of one trigger, by its workflow and node. */
export function claimsOf(nodeKey: string): Claims {
	const known = claimsByNode.get(nodeKey);
	if (known !== undefined) return known;
	const claims = new Claims();
	claimsByNode.set(nodeKey, claims);
	return claims;
}

/**
 * Settles a claim with what becomes of the answer: acknowledged once a 2xx has left, and not
 * acknowledged if n8n answers otherwise or the sender hangs up before.
 *
 * @returns whether there still is someone to answer; if not, the claim is settled already.
 */
export function settleOnAnswer(claim: Claim, response: OutgoingResponse): boolean {
	if (response.closed) {
		claim.settle(false);
		return false;
	}
	response.once('finish', () => {
		claim.settle(response.statusCode >= 200 && response.statusCode < 300);
	});
	response.once('close', () => {
		claim.settle(false);
	});
	return true;
}
