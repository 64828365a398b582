import { isSameAddress, refuseToSign } from '../signature';

/** An address, possibly padded to 32 bytes. */
const ADDRESS = /^0x(?:0{24})?([0-9a-f]{40})$/i;

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
	own: ReadonlyArray<readonly [label: string, address: string | undefined]>,
): void {
	const [, digits] = ADDRESS.exec(from.trim()) ?? [];
	if (digits === undefined) return;
	const allowed = own.filter(([, address = '']) => ADDRESS.test(address));
	if (allowed.some(([, address = '']) => isSameAddress(address, `0x${digits}`))) return;
	const names = allowed.map((each) => each.join(' ')).join(' or ');
	refuseToSign(`${path}from is 0x${digits}, not ${names}`);
}
