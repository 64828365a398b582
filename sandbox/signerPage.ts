import type { WaitingRequest } from './confirmations';

/** The page runs no script, and sends forms to this signer only. */
export const SIGNER_PAGE_POLICY =
	"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const CHAINS: Readonly<Record<string, string>> = {
	'1': 'Ethereum',
	'42161': 'Arbitrum One',
	'421614': 'Arbitrum Sepolia (test network)',
};

const STYLE = `
	:root { color-scheme: light dark; }
	body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
	section { border: 1px solid #8a939c; border-radius: 12px; padding: 1rem 1.25rem; margin: 1rem 0; }
	h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
	dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
	dt { opacity: .75; }
	dd { margin: 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
	pre { white-space: pre-wrap; overflow-wrap: anywhere; }
	form { display: inline; }
	button { font: inherit; padding: .4rem 1.2rem; border-radius: 8px; border: 1px solid #8a939c; cursor: pointer; }
	@media (max-width: 30rem) {
		dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
		dd { margin: 0 0 .5rem; }
	}
	button.confirm { background: #0f766e; border-color: #0f766e; color: #fff; }`;

const escaped = (text: unknown): string =>
	String(text)
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;');

/** The members of typed data as rows, those of an object under its name. */
function rowsOf(value: unknown, name = ''): [name: string, value: string][] {
	if (typeof value !== 'object' || value === null) return [[name, String(value)]];
	return Object.entries(value).flatMap(([key, each]) =>
		rowsOf(each, name === '' ? key : `${name}.${key}`),
	);
}

const list = (rows: readonly (readonly [string, string])[]): string =>
	`<dl>${rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`;

function card(request: WaitingRequest): string {
	const button = (verb: string, label: string): string =>
		`<form method="post" action="/requests/${request.id}/${verb}"><button class="${verb}">${label}</button></form>`;
	const account = ['Account', request.address] as const;
	const buttons = `${button('confirm', 'Confirm')} ${button('decline', 'Decline')}`;
	if ('text' in request) {
		return `<section><h2>Sign this message</h2>${list([account])}<pre>${escaped(request.text)}</pre>${buttons}</section>`;
	}
	const { domain, primaryType, message } = request;
	const chain = String(domain.chainId);
	const about = [
		account,
		['Contract', `${String(domain.verifyingContract)} (${String(domain.name)})`],
		['Chain', CHAINS[chain] === undefined ? chain : `${CHAINS[chain]}, chain ${chain}`],
	] as const;
	return `<section><h2>Sign ${escaped(primaryType)}</h2>${list(about)}${list(rowsOf(message))}${buttons}</section>`;
}

/** What a wallet shows: each request that waits, and two buttons. */
export function signerPage(requests: readonly WaitingRequest[]): string {
	const waiting =
		requests.length === 0
			? '<p>Nothing to sign. What a workflow asks this wallet to sign appears here.</p>'
			: '';
	return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="2">
<title>Practice wallet${requests.length === 0 ? '' : ` (${requests.length})`}</title>
<style>${STYLE}</style>
<h1>Practice wallet</h1>
${waiting}${requests.map(card).join('\n')}
</html>`;
}
