import { Claims, type Claim } from './claims';
import type { DeliveryHeaders } from './verifySignature';

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

/** Triggers whose events are remembered in this process, beside those with deliveries under way. */
const MOST_TRIGGERS = 500;

/** By workflow and node, the least recently used first. They outlive saving and activating. */
const claimsByNode = new Map<string, Claims>();

/**
 * The claims of one trigger, by its workflow and node. A trigger that is forgotten here still has
 * its events in n8n's store.
 */
export function claimsOf(nodeKey: string): Claims {
	const claims = claimsByNode.get(nodeKey) ?? new Claims();
	claimsByNode.delete(nodeKey);
	claimsByNode.set(nodeKey, claims);
	for (const [oldest, { isInUse }] of claimsByNode) {
		if (claimsByNode.size <= MOST_TRIGGERS) break;
		if (!isInUse && oldest !== nodeKey) claimsByNode.delete(oldest);
	}
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
