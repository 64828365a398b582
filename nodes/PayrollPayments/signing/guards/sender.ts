import { isSameAddress, refuseToSign } from '../signature';

/** An address, possibly padded to 32 bytes. */
const ADDRESS = /^0x(?:0{24})?([0-9a-f]{40})$/i;

/** The address in a text, without what it is padded with; undefined if it isn't one. */
export function addressIn(text: string): string | undefined {
	const digits = ADDRESS.exec(text.trim())?.[1];
	return digits === undefined ? undefined : `0x${digits}`;
}

/**
 * Refuses an address in `from` that isn't one of the user's own. Other texts pass: the service doesn't
 * document what they mean.
 * @param path how errors begin the name of the signed value
 * @param own what `from` may be, each after its label. Those that aren't addresses are ignored, because
 *   a Platform ID may be any text.
 */
export function checkSender(
	path: string,
	from: string,
	own: ReadonlyArray<readonly [label: string, address: string | null | undefined]>,
): void {
	const sender = addressIn(from);
	if (sender === undefined) return;
	const allowed = own.filter(([, address]) => ADDRESS.test(String(address)));
	if (allowed.some(([, address]) => isSameAddress(String(address), sender))) return;
	const names = allowed.map((each) => each.join(' ')).join(' or ');
	refuseToSign(
		`${path}from is ${sender}, not ${names}`,
		'Check the wallet that signs, the Platform ID if the credentials have one, and for a payment the team. If they are right, get new typed data, or ask the service’s support.',
	);
}
